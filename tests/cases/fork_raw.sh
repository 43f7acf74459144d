#!/bin/bash
# Forking by a raw clone system call: the child never writes to its parent's ring.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
run_traced "$PROGRAMS/processes" clone 50 || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 51 * 40' \
	'len(processes.rows) == 51' 'all(row.exit_status in (0, 7, None) for row in processes.rows)' \
	'all(row.events == 40 for row in processes.rows)' \
	'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
