#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The page's scripts: each stands in page_source.def, none makes markup of text or code of data, and together they
# have no error of syntax (where there is a node; the cases page_* run them in a browser).

cd "$(dirname "$0")/.." || exit 1
files=$(sed -n 's/^SCRIPT([a-z_]*, "\(.*\)")$/\1/p' report/page/page_source.def)

{
	for file in report/page/*.js; do
		grep -qxF "$file" <<<"$files" || echo "$file:1: is not in report/page/page_source.def"
		head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file:1: no SPDX line"
	done
	grep -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|[^a-zA-Z]eval\(|new Function|</script' report/page/*.js |
		cut -c 1-160
	if command -v node >/dev/null; then
		all=$(mktemp --suffix=.js) || exit 1
		# shellcheck disable=SC2086 # a list of words
		cat $files >"$all"
		node --check "$all" 2>&1 | grep . | head -n 8
		rm -f "$all"
	fi
} | grep . && exit 1
exit 0
