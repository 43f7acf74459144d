#!/bin/bash
# A program that becomes a daemon, and a child that outlives its parent: recorded to their ends.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
run_traced "$PROGRAMS/processes" daemon 3 || fail "daemon: status $?"
expect "$OUTPUT" 'sized(5001) == 4 * 40' 'len(processes.rows) == 2' \
	'all(row.exit_status == 0 for row in processes.rows)'
rm -f run.evt
run_traced "$PROGRAMS/processes" orphan 3 || fail "orphan: status $?"
expect "$OUTPUT" 'sized(5001) == 4 * 40' 'len(processes.rows) == 2' \
	'sorted(row.events for row in processes.rows) == [40, 120]'
