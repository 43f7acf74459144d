#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Paths that documents name exist: links of Markdown, and what stands in backquotes and begins with a folder of
# the tree; and those that comments of sources name, with the folder or as "see NAME.h". Names in capitals, braces, stars and dots stand for others. Pages that tell how to add something name
# files of their examples: those lines of HOWTO pages are left out whose file is the example's.

# shellcheck disable=SC2016 # backquotes of Markdown

cd "$(dirname "$0")/.." || exit 1
pages=$(scripts/source-files.sh md) || exit 1

{
	for page in $pages; do
		# [text](path)
		grep -noE '\]\([^)#: ]+[)#]' "$page" | sed -E 's/^([0-9]+):\]\(([^)#]+).*/\1 \2/' |
			while read -r line path; do
				[[ -e $(dirname "$page")/$path ]] || echo "$page:$line: no file '$path'"
			done
		# `folder/path`, or `folder/file.c: function()`
		grep -noE '`(preload|collector|report|scripts|tests|docs)/[^`]*`' "$page" |
			while IFS=: read -r line path; do
				path=${path//\`/}
				path=${path%%[: ]*}
				[[ $path =~ [*{\<] || $path =~ (FAMILY|NAME|NOUN) ]] && continue
				[[ -e $path ]] || echo "$page:$line: no file '$path'"
			done
	done
	# shellcheck disable=SC2046 # words
	grep -noHE '\b(preload|collector|report|scripts|tests|docs)/[A-Za-z0-9_./-]+\.(c|h|def|sh|py|md)\b' $(scripts/source-files.sh c h def sh) |
		while IFS=: read -r file line path; do
			[[ -e $path || $path =~ (FAMILY|NAME|NOUN) ]] || echo "$file:$line: no file '$path'"
		done
	names=" $(scripts/source-files.sh c h def sh | sed 's@.*/@@' | tr '\n' ' ') "
	# shellcheck disable=SC2046 # words
	grep -noHE '\b[Ss]ee [a-z_0-9]+\.(c|h|def|sh)\b' $(scripts/source-files.sh c h def sh) |
		while IFS=: read -r file line name; do
			[[ $names == *" ${name#?ee } "* ]] || echo "$file:$line: no file '${name#?ee }'"
		done
} | grep -vE "^docs/HOWTO-[a-z-]*\.md:[0-9]+: no file '[a-z/_]*(trim|files)[A-Za-z_./]*'" | grep . && exit 1
exit 0
