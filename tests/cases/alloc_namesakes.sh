#!/bin/bash
# Functions whose names differ never share a row, however short the names are shown.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program namesakes
sizes='[100000, 200000, 300000, 400000, 500000]'
for stacks in caller native; do
	rm -f run.evt
	INTERCEPT_STACKS=$stacks run_traced "$PROGRAMS/namesakes" || fail "namesakes: status $?"
	written run.evt
	for names in full short mangled; do
		expect_eq "rows by function, $stacks, --names $names" \
			"$(json alloc run.evt 'sorted(r["bytes_allocated"] for r in rows if r["bytes_allocated"] >= 100000)' --by function --names $names)" "$sizes"
		expect_eq "different names of them, $stacks, --names $names" \
			"$(json alloc run.evt 'len(set(r["function"] for r in rows if r["bytes_allocated"] >= 100000))' --by function --names $names)" 5
	done
	"$REPORT" alloc --by function run.evt >table
	for name in 'made<double (long)>::by' 'made<char (long)>::by' 'made<void (long)>::by' 'overloaded(int)' 'overloaded(long)'; do
		grep -qF "$name " table || fail "$stacks: the table has no row '$name': $(cat table)"
	done
done
"$REPORT" export folded --value live run.evt -o live.folded || fail "export: status $?"
expect_eq "folded stacks" "$(grep -cE '(made<.*>::by|overloaded)' live.folded)" 5
expect_eq "names in folded stacks" "$(sed -E 's/ [0-9]+$//' live.folded | grep -E '(made<.*>::by|overloaded)' | sort -u | wc -l)" 5
