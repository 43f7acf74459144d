#!/bin/sh
# SPDX-License-Identifier: MIT
#
# usage: source-files.sh SUFFIX...
# The files of the tree with these suffixes, new ones included, one a line; ignored ones are left out.
# Exit status 1 with a line on stderr when there is none: a check of nothing must not pass.

cd "$(dirname "$0")/.." || exit 1
pattern=$(printf '%s|' "$@")
git -c safe.directory="$PWD" ls-files -co --exclude-standard | grep -E "\.(${pattern%|})\$" |
	while read -r file; do [ -f "$file" ] && echo "$file"; done | grep . || {
	echo "source-files: no file with suffix $*" >&2
	exit 1
}
