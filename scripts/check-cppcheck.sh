#!/bin/sh
# SPDX-License-Identifier: MIT
#
# cppcheck, warnings and errors; what is known to be wrong with it stands in scripts/cppcheck.txt.

cd "$(dirname "$0")/.." || exit 1
command -v cppcheck >/dev/null || { echo "cppcheck not found: run 'make deps'"; exit 1; }
files=$(scripts/source-files.sh c | grep -v '^tests/') || exit 1
# shellcheck disable=SC2086 # a list of words
cppcheck --quiet -j "$(nproc)" --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 -I . \
	-D_GNU_SOURCE= -D__x86_64__ -D__GNUC__=12 --suppressions-list=scripts/cppcheck.txt \
	--template='{file}:{line}: {id}: {message}' $files
