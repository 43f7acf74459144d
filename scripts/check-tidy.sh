#!/bin/sh
# SPDX-License-Identifier: MIT
#
# clang-tidy with the checks that find mistakes, not taste.

cd "$(dirname "$0")/.." || exit 1
tool=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "clang-tidy not found: run 'make deps'"; exit 1; }
files=$(scripts/source-files.sh c | grep -v '^tests/programs/') || exit 1
checks='-*,bugprone-*,misc-redundant-expression,misc-static-assert'
checks="$checks,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions"
checks="$checks,-bugprone-implicit-widening-of-multiplication-result,-bugprone-reserved-identifier"
checks="$checks,-bugprone-macro-parentheses,-bugprone-branch-clone,-bugprone-assignment-in-if-condition"
checks="$checks,-bugprone-sizeof-expression,-bugprone-misplaced-widening-cast"
checks="$checks,-bugprone-suspicious-string-compare,-bugprone-not-null-terminated-result"
# shellcheck disable=SC2086 # a list of words
"$tool" --quiet --checks="$checks" --warnings-as-errors='*' $files -- -std=gnu11 -D_GNU_SOURCE= -I. \
	'-DINTERCEPT_VERSION="lint"' 2>&1 | grep -E 'warning:|error:' | sed "s|^$PWD/||" | sort -u | grep . && exit 1
exit 0
