#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Small conventions that a pattern can see: the licence line, comments, no leftovers, a description on
# the second line of a case.

cd "$(dirname "$0")/.." || exit 1
sources=$(scripts/source-files.sh c h def cpp) || exit 1
scripts=$(scripts/source-files.sh sh py) || exit 1

{
	# shellcheck disable=SC2086
	awk 'FNR <= 3 && /SPDX-License-Identifier: MIT/ { has[FILENAME] = 1 }
		FNR >= 3 { nextfile }
		END { for (i = 1; i < ARGC; i++) if (!(ARGV[i] in has)) print ARGV[i] ":1: no SPDX line" }' \
		$sources $scripts Makefile tests/run .ci/run
	# "//" that is not inside a string or a comment
	# shellcheck disable=SC2086
	awk '{
		gsub(/"([^"\\]|\\.)*"/, "")
		sub(/\/\*.*\*\//, "")
		sub(/^[ \t]*\/?\*.*/, "")
		if (index($0, "//"))
			print FILENAME ":" FNR ": comments are /* */ here"
	}' $sources
	# a source begins with what it does and how; where its header says what, with how
	# shellcheck disable=SC2046
	awk 'function judge() {
			gsub(/[ \t]+/, " ", text)
			if (name && text !~ /[^ ]/)
				print name ":2: no comment that says what the file does"
			else if (text ~ /^ ?[Ss]ee [A-Za-z0-9_.]+\.h[.:;]? ?$/)
				print name ":2: only a reference: say what the file does, and how"
			text = ""
		}
		FNR == 1 { judge(); name = FILENAME; next }
		/^#|^[a-z]/ || (/^$/ && text ~ /[^ ]/) { judge(); name = ""; nextfile }
		{ gsub(/[\/*]/, " "); text = text " " $0 }
		END { judge() }' $(scripts/source-files.sh c | grep -v '^tests/')
	# shellcheck disable=SC2086
	grep -nHE '\b(TODO|FIXME|XXX)\b' $sources $scripts | grep -v '^scripts/check-text.sh' | cut -c 1-120
	# shellcheck disable=SC2086
	grep -nE '[ 	]+$' $sources $scripts | cut -d: -f1,2 | sed 's/$/: blanks at the end of the line/'
	awk 'FNR == 2 && !/^# ./ { print FILENAME ":2: no description" } FNR == 2 { nextfile }' tests/cases/*.sh
	# what a test or a trial leaves behind does not belong into the tree
	git -c safe.directory="$PWD" ls-files -co --exclude-standard | cut -d/ -f1 | sort -u |
		grep -vxE 'preload|collector|report|scripts|tests|docs|Makefile|README\.md|\.ci|\.gitignore|\.clang-format' |
		sed 's/$/: nothing else stands at the top of the tree/'
	# `make check` knows by these helpers which cases stand on something downloaded
	grep -nE 'XDG_CACHE_HOME:-|find-python\.sh|need_tool (chromium|firefox)' tests/cases/*.sh |
		sed -E 's/^([^:]*:[0-9]*):.*/\1: ask through fetched, torch_python or need_browser of tests\/lib.sh/'
} | grep . && exit 1
exit 0
