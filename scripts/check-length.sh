#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No function longer than 80 lines, no file longer than 800 (lists, *.def, are exempt).

cd "$(dirname "$0")/.." || exit 1
files=$(scripts/source-files.sh c h cpp) || exit 1
{
	echo "$files" | scripts/function-lengths.sh | awk '$1 > 80 {
		printf "%s: function %s has %d lines, at most 80 are allowed\n", $2, $3, $1 }'
	echo "$files" | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 800 ] || echo "$file: file has $lines lines, at most 800 are allowed"
	done
} | grep . && exit 1
exit 0
