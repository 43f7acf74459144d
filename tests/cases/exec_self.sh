#!/bin/bash
# exec in the same pid: what was recorded stays, the new image is a process entry of its own.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
INTERCEPT_CHILDREN=all run_traced "$PROGRAMS/processes" exec 3 || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 4 * 40' \
	'len(processes.rows) == 4' 'len(set(row.pid for row in processes.rows)) == 1' \
	'processes.totals.events == 4 * 40'
expect_sums "$OUTPUT"
