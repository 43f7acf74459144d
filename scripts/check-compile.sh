#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Each header compiles alone. (What clang says of sources, check-tidy.sh shows: it reads them anyway.)

cd "$(dirname "$0")/.." || exit 1
flags=(-std=gnu11 -D_GNU_SOURCE= -I. -DINTERCEPT_VERSION= -Wall -Wextra -Wshadow
	-Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror -fsyntax-only)
# Test programs are built with flags and headers of their own.
headers=$(scripts/source-files.sh h | grep -v '^tests/programs/') || exit 1
export CC FLAGS="${flags[*]}"
# shellcheck disable=SC2016 # for that shell
xargs -n 32 -P "$(nproc)" bash -c 'for header; do
	# shellcheck disable=SC2086 # words
	echo "#include \"$header\"" | ${CC:-cc} $FLAGS -x c - 2>&1 | sed "s|^<stdin>|$header|"
done' headers <<<"$headers" | grep -E ': (warning|error|fatal error): ' && exit 1
exit 0
