#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Small conventions that a pattern can see: the licence line, comments, no leftovers, a description on
# the second line of a case.

cd "$(dirname "$0")/.." || exit 1
sources=$(scripts/source-files.sh c h def cpp) || exit 1
scripts=$(scripts/source-files.sh sh py) || exit 1

{
	for file in $sources $scripts Makefile tests/run .ci/run; do
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file:1: no SPDX line"
	done
	# "//" that is not inside a string or a comment
	for file in $sources; do
		sed -E 's@"([^"\\]|\\.)*"@@g; s@/\*.*\*/@@; s@^[ \t]*/?\*.*@@' "$file" | grep -n '//' |
			sed "s|^\([0-9]*\):.*|$file:\1: comments are /* */ here|"
	done
	# shellcheck disable=SC2086
	grep -nHE '\b(TODO|FIXME|XXX)\b' $sources $scripts | grep -v '^scripts/check-text.sh' | cut -c 1-120
	# shellcheck disable=SC2086
	grep -nE '[ 	]+$' $sources $scripts | cut -d: -f1,2 | sed 's/$/: blanks at the end of the line/'
	for file in tests/cases/*.sh; do
		[[ -f $file ]] || continue
		sed -n 2p "$file" | grep -q '^# .' || echo "$file:2: no description"
	done
	# `make check` knows by these helpers which cases stand on something downloaded
	grep -nE 'XDG_CACHE_HOME:-|find-python\.sh|need_tool (chromium|firefox)' tests/cases/*.sh |
		sed -E 's/^([^:]*:[0-9]*):.*/\1: ask through fetched, torch_python or need_browser of tests\/lib.sh/'
} | grep . && exit 1
exit 0
