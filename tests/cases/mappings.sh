#!/bin/bash
# Memory that is mapped beside the heap: events are those that the program made, errors those that it gets without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program mappings
same_as_bare "$PROGRAMS/mappings" errors
for trace in alloc io alloc,io nvtx; do
	rm -f "$OUTPUT"
	INTERCEPT_TRACE=$trace run_traced "$PROGRAMS/mappings" >counted || fail "mappings with $trace: status $?"
	"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"
	"$REPORT" dump "$OUTPUT" >dump.txt || fail "dump"
	while read -r name count; do
		case $name in
		map_anonymous | unmap | remap)
			[[ $trace == alloc* ]] || count=0
			expect_eq "$name with $trace" "$(grep -cE "^[0-9]+ [0-9:]+ $name " dump.txt)" "$count"
			;;
		esac
	done <counted
	[[ $trace == alloc* ]] || continue
	expect_eq "mapped at the end with $trace" \
		"$(json memory "$OUTPUT" 'sum(row["end_bytes"] for row in rows if row["kind"] == "mapped memory")')" \
		"$(sed -n 's/^private //p' counted)"
	expect_eq "by process with $trace" "$(json memory "$OUTPUT" 'len(rows)' --by process)" 1
done

# of a run with native stacks the tables of intercept are in what is not explained
"$REPORT" memory "$ROOT/tests/golden/stacks.evt" >stacks.out || fail "stacks: status $?"
tr '\n' ' ' <stacks.out | grep -q 'not explained: .* what intercept itself keeps: for native stacks up to 9 MiB' ||
	fail "the tables of intercept are not named: $(cat stacks.out)"
