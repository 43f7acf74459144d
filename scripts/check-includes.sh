#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Who may include what: arrows go one way (docs/ARCHITECTURE.md), own headers are named from the root of
# the tree, and a library's header is included by one file a side.

cd "$(dirname "$0")/.." || exit 1
files=$(scripts/source-files.sh c h def) || exit 1

# file:line:header of every include, quoted or in angle brackets
includes=$(echo "$files" | xargs grep -nE '^[ \t]*#[ \t]*include[ \t]*["<]' |
	sed -E 's/^([^:]*:[0-9]+):[^"<]*(["<][^">]*).*/\1 \2/')

allow() { # FROM-PATTERN ALLOWED-PATTERN: own headers that files of FROM may include
	echo "$includes" | awk -v from="^$1" -v allowed="^\"($2)" '
		$1 ~ from && $2 ~ /^"/ && $2 !~ allowed { print $1 ": may not include " $2 "\"" }'
}

only() { # HEADER-PATTERN FILE-PATTERN: a library's header and the files that may include it
	echo "$includes" | awk -v header="^[<\"]($1)" -v files="^($2):" '
		$2 ~ header && $1 !~ files { print $1 ": " substr($2, 2) " is not for this file" }'
}

{
	allow report/ 'report/|collector/format/'
	allow preload/ 'preload/|collector/region/|collector/format/events\.(h|def)$'
	allow 'collector/[^/]*:' 'collector/'
	allow collector/region/ collector/region/
	allow collector/format/ collector/format/
	tests='|tests/.*'
	only 'zstd' "collector/compress.c|report/decompress.c$tests"
	only 'libiberty' "report/demangle.c$tests"
	only 'elfutils/|libelf|gelf' "collector/[a-z_]*.c|report/[a-z_]*.c$tests"
	only 'libunwind' "preload/stack.c$tests"
	only 'cupti' "preload/cupti.c$tests"
	only '(cuda|nvtx3/|nvToolsExt)' "tests/.*"
	# elfutils: one file a side
	for side in collector report; do
		users=$(echo "$includes" | grep "^$side/" | grep -E '<(elfutils/|libelf|gelf)' | cut -d: -f1 | sort -u)
		[ "$(echo "$users" | wc -l)" -le 1 ] || echo "$side/: elfutils in more than one file: ${users//$'\n'/ }"
	done
} | grep . && exit 1
exit 0
