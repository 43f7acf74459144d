#!/bin/bash
# The man page names every report, option and column that prof-report knows, and no option that it does not.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

page=$(sed 's/\\-/-/g' "$ROOT/docs/prof-report.1")
for name in $("$REPORT" --list | awk '{ print $1 }'); do
	expect_match "man page, report $name" "$page" "(^|[[:space:]])[.]B $name([[:space:]]|\$)"
done
known=$("$REPORT" --help | grep -o -- ' --[a-z][a-z-]*' | sort -u)
for option in $known; do
	expect_match "man page, $option" "$page" "$option"
done
while read -r option; do
	expect_match "help, $option of the man page" "$known" "$option"
done < <(grep -o -- '--[a-z][a-z-]*' <<<"$page" | sort -u)
for report in $(tables reports | grep -v summary); do
	for name in $(help_columns "$report" | cut -d: -f1); do
		expect_match "man page, column $name of $report" "$page" "[.]BR $name "
	done
done
