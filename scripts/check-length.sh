#!/bin/sh
# SPDX-License-Identifier: MIT
#
# No function longer than 80 lines, no file longer than 800 (lists, *.def, are exempt), no line of C longer than
# 100 columns, except where it cannot be broken: a single word, and what the Makefile reads from the top of a test.

cd "$(dirname "$0")/.." || exit 1
files=$(scripts/source-files.sh c h cpp) || exit 1
{
	echo "$files" | scripts/function-lengths.sh | awk '$1 > 80 {
		printf "%s: function %s has %d lines, at most 80 are allowed\n", $2, $3, $1 }'
	echo "$files" | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 800 ] || echo "$file: file has $lines lines, at most 800 are allowed"
	done
	# shellcheck disable=SC2016 # of awk
	echo "$files" | xargs awk '
		/^\/\* (links|build|replaces): / || /^[ \t]*[^ \t]+$/ { next }
		{
			gsub(/[\200-\277]/, "") # a character of UTF-8 is one column
			parts = split($0, part, "\t")
			columns = length(part[parts])
			for (i = before = 0; ++i < parts;)
				before += 8 * (int(length(part[i]) / 8) + 1)
			if (before + columns > 100)
				printf "%s:%d: line has %d columns, at most 100 are allowed\n", FILENAME, FNR, before + columns
		}'
} | grep . && exit 1
exit 0
