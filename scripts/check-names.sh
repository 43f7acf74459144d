#!/bin/bash
# SPDX-License-Identifier: MIT
#
# No two source files of preload/, collector/ and report/ have a static function of the same name: so a backtrace or a search
# finds one function only. The name begins with what the file is about.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
command -v ctags >/dev/null || { echo "ctags not found: run 'make deps'"; exit 1; }
files=$(scripts/source-files.sh c | grep -E '^(preload|collector|report)/') || exit 1

# NAME FILE LINE of each static function
functions=$(echo "$files" | ctags -f - -L - --languages=C --kinds-C=f --fields=fn --excmd=number |
	awk -F'\t' '/\tfile:/ { print $1, $2, $3 + 0 }' | sort -u)
(($(echo "$functions" | wc -l) > 3000)) || { echo "only $(echo "$functions" | wc -l) static functions were found"; exit 1; }

echo "$functions" | awk '
	$1 == name && $2 != file { print $2 ":" $3 ": " name "() is a static function of " file " too" }
	$1 != name { name = $1; file = $2 }' | grep . && exit 1
exit 0
