#!/bin/bash
# Under a filter of system calls that kills on memfd_create, refuses it, or has nothing against it: it is recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program confined
need_program hostile
"$PROGRAMS/confined" pass none true
(($? != 99)) || skip "no seccomp here"
for how in kill refuse trap pass; do
	rm -f run.evt
	"$PROGRAMS/confined" $how memfd_create env INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "$PROGRAMS/hostile" >out 2>err
	expect_eq "exit status with '$how'" $? 21
	expect_eq "output with '$how'" "$(cat out)" 'done'
	expect_eq "standard error with '$how'" "$(cat err)" ''
	expect "$OUTPUT" 'sized(3003) == 200' 'processes.rows[0].exit_status == 21' 'summary.totals.events_lost == 0'
done
# its children, started and forked, too; it finds no child of ours
rm -f run.evt
"$PROGRAMS/confined" kill memfd_create env INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" python3 -c '
import os, subprocess, sys
try:
    os.wait()
    sys.exit(1)
except ChildProcessError:
    pass
subprocess.check_call([sys.executable, "-c", "pass"])
if os.fork() == 0:
    os._exit(7)
os.wait()' || fail "python under a filter: status $?"
expect "$OUTPUT" 'sorted(row["exit_status"] for row in processes.rows) == [0, 0, 7]'
