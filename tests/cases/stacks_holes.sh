#!/bin/bash
# An executable with a hole between its segments, as node is, has whole stacks, and its wrappers are skipped.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

printf '%s\n' 2.35 "$(getconf GNU_LIBC_VERSION | awk '{ print $2 }')" | sort -CV ||
	skip "glibc before 2.35 has no _dl_find_object(): there are no stacks"
for program in stack_holes stack_holes_fixed; do
	need_program $program
	rm -f "$OUTPUT"
	INTERCEPT_STACKS=native run_traced "$PROGRAMS/$program" || fail "$program: status $?"
	expect_eq "$program, stack" "$(json leaks "$OUTPUT" \
		'[[f["function"] for f in r["stack"]][:2] for r in rows if r["bytes"] == 7021]')" \
		'[["outer", "main"]]'
	expect_eq "$program, stacks that are cut" "$(json leaks "$OUTPUT" 'totals["cut_stacks"]')" 0
	rm -f "$OUTPUT"
	INTERCEPT_STACKS=caller run_traced "$PROGRAMS/$program" || fail "$program: status $?"
	expect_eq "$program, caller" "$(json alloc "$OUTPUT" \
		'[r["function"] for r in rows if r["bytes_allocated"] == 7021]')" '["outer"]'
done
