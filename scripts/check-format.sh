#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: check-format.sh [--fix] [FILE...]
# Says which files clang-format would change, or changes them. Version 14 decides: others differ in details.

cd "$(dirname "$0")/.." || exit 1
tool=$(command -v clang-format-14 || command -v clang-format) ||
	{ echo "clang-format not found: run 'make deps'"; exit 1; }
if [ "$1" = --fix ]; then
	fix=1
	shift
fi
if [ $# = 0 ]; then
	files=$(scripts/source-files.sh c h cpp) || exit 1
else
	files=$*
fi

if [ "$fix" ]; then
	echo "$files" | xargs "$tool" -i
	exit
fi
# Files that have not changed since they passed are left out (lint-cache.py).
echo "$files" | scripts/lint-cache.py format "$("$tool" --version) $(cat .clang-format)" 24 "$tool" --dry-run -Werror >/dev/null 2>&1 && exit 0
echo "$files" | tr ' ' '\n' | while read -r file; do
	lines=$("$tool" "$file" | diff "$file" - | grep -c '^<')
	[ "$lines" = 0 ] && "$tool" "$file" | cmp -s "$file" - && continue
	echo "$file: formatted differently ($lines lines): make format"
done | grep . && exit 1
exit 0
