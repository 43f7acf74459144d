#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Each header compiles alone. (What clang says of sources, check-tidy.sh shows: it reads them anyway.)

cd "$(dirname "$0")/.." || exit 1
flags=(-std=gnu11 -D_GNU_SOURCE= -I. -DINTERCEPT_VERSION= -Wall -Wextra -Wshadow
	-Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror -fsyntax-only)
export CC=${CC:-cc} FLAGS="${flags[*]}"
machine=$("$CC" -dumpmachine)
# Test programs are built with flags and headers of their own; those of another architecture do not compile here.
headers=$(scripts/source-files.sh h | grep -v '^tests/programs/' |
	awk -F/ -v machine="${machine%%-*}" '$1 "/" $2 != "collector/arch" || NF < 4 || $3 == machine') || exit 1
# shellcheck disable=SC2016 # for that shell
found=$(scripts/lint-cache.py compile "$("$CC" --version) $FLAGS" 24 bash -c 'status=0
for header; do
	# shellcheck disable=SC2086 # words
	$CC $FLAGS -x c - <<<"#include \"$header\"" 2>&1 | sed "s|^<stdin>|$header|"
	[[ ${PIPESTATUS[0]} == 0 ]] || status=1
done
exit $status' headers <<<"$headers") && exit 0
grep -E ': (warning|error|fatal error): ' <<<"$found" || echo "$found"
exit 1
