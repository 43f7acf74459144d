#!/bin/bash
# Children that are alive at once and have children: the tree is in the file.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
run_traced "$PROGRAMS/processes" tree 40 || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 81 * 40' \
	'len(processes.rows) == 81' \
	'len(processes.select(exit_status=7)) == 40' 'len(processes.select(exit_status=8)) == 40' \
	'all(processes.row(pid=row.parent_pid).exit_status == 7 for row in processes.select(exit_status=8))' \
	'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
