#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Each header compiles alone, and every source without a warning in clang as well.

cd "$(dirname "$0")/.." || exit 1
flags=(-std=gnu11 -D_GNU_SOURCE= -I. '-DINTERCEPT_VERSION="lint"' -Wall -Wextra -Wshadow
	-Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror -fsyntax-only)
# Test programs are built with flags and headers of their own.
headers=$(scripts/source-files.sh h | grep -v '^tests/programs/') || exit 1
sources=$(scripts/source-files.sh c | grep -v '^tests/programs/') || exit 1

{
	for header in $headers; do
		echo "#include \"$header\"" | ${CC:-cc} "${flags[@]}" -x c - 2>&1 | sed "s|^<stdin>|$header|"
	done
	# clang 14 calls a volatile sum that keeps a loop alive unused
	if command -v clang >/dev/null; then
		# shellcheck disable=SC2086 # a list of words
		clang "${flags[@]}" -Wno-unused-but-set-variable $sources 2>&1
	fi
} | grep -E ': (warning|error|fatal error): ' && exit 1
exit 0
