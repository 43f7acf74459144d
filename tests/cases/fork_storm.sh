#!/bin/bash
# Hundreds of children forked while threads use the heap: each is in the file with its status.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
run_traced "$PROGRAMS/processes" storm 300 || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 301 * 40' \
	'len(processes.rows) == 301' \
	'len(processes.select(exit_status=7)) == 300' \
	'all(row.events == 40 for row in processes.select(exit_status=7))' \
	'summary.totals.events_lost == 0' 'alloc.totals.frees_unmatched == 0'
expect_sums "$OUTPUT"
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
