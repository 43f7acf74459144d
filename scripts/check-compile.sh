#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Each header compiles alone, and every source without a warning in clang as well.

cd "$(dirname "$0")/.." || exit 1
flags=(-std=gnu11 -D_GNU_SOURCE= -I. '-DINTERCEPT_VERSION="lint"' -Wall -Wextra -Wshadow
	-Wmissing-prototypes -Wstrict-prototypes -Wvla -Werror -fsyntax-only)
headers=$(scripts/source-files.sh h) || exit 1
sources=$(scripts/source-files.sh c | grep -v '^tests/programs/') || exit 1
status=0

for header in $headers; do
	echo "#include \"$header\"" | ${CC:-cc} "${flags[@]}" -x c - || status=1
done
if command -v clang >/dev/null; then
	# shellcheck disable=SC2086 # a list of words
	clang "${flags[@]}" $sources || status=1
fi
exit $status
