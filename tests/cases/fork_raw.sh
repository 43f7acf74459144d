#!/bin/bash
# Forking by a raw clone system call: the child never writes to its parent's ring.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
run_traced "$PROGRAMS/processes" clone 50 || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 51 * 40' \
	'len(processes.rows) == 51' 'sum(ended(row, 7) for row in processes.rows) >= 50' \
	'all(row.events == 40 for row in processes.rows)' \
	'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
