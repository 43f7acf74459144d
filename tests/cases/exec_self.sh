#!/bin/bash
# exec in the same pid: what was recorded stays, the new image is a process entry of its own.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
INTERCEPT_CHILDREN=all run_traced "$PROGRAMS/processes" exec 3 || fail "status $?"
written
expect "$OUTPUT" 'sized(5001) == 4 * 40' \
	'len(processes.rows) == 4' 'len(set(row.pid for row in processes.rows)) == 1' \
	'processes.totals.events == 4 * 40'
expect_sums "$OUTPUT"

# The kernel goes on counting the CPU time: that of the program before an exec counts once.
cat >twice.py <<'END'
import os, sys, time
while time.process_time() < 0.4 * len(sys.argv):
    pass
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "again"])
END
OUTPUT=$PWD/twice.evt
run_traced "$(python3 -c 'import sys; print(sys.executable)')" "$PWD/twice.py" || fail "status $?"
written
ends=$("$REPORT" dump "$OUTPUT" | sed -n 's/.* process_end .*cpu_ns=\([0-9]*\).*/\1/p' | sort -n)
expect_eq "programs" "$(wc -w <<<"$ends")" 2
expect "$OUTPUT" 'len(processes.rows) == 2' "processes.totals.cpu_ns == $(tail -n 1 <<<"$ends")" \
	'sum(row.cpu_ns for row in processes.rows) == processes.totals.cpu_ns' 'summary.totals.cpu_ns == processes.totals.cpu_ns'
