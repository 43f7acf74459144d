#!/bin/bash
# SPDX-License-Identifier: MIT
#
# cppcheck, warnings and errors; what is known to be wrong with it stands in scripts/cppcheck.txt.
# Sources that have not changed since they passed are left out (lint-cache.py).

cd "$(dirname "$0")/.." || exit 1
command -v cppcheck >/dev/null || { echo "cppcheck not found: run 'make deps'"; exit 1; }
files=$(scripts/source-files.sh c | grep -v '^tests/') || exit 1
# Two at a time: alone it would judge the files of a batch as one program.
# shellcheck disable=SC2054 # commas of options
command=(cppcheck --quiet -j 2 --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 -I .
	-D_GNU_SOURCE= -D__x86_64__ -D__LP64__ -D__GNUC__=12 --suppressions-list=scripts/cppcheck.txt
	--template='{file}:{line}: {id}: {message}')
scripts/lint-cache.py cppcheck "$(cppcheck --version) ${command[*]} $(cat scripts/cppcheck.txt)" 24 "${command[@]}" <<<"$files"
