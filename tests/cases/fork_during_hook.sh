#!/bin/bash
# Programs that fork and use the heap from signal handlers and threads end, and their file is in order.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >script.py <<'END'
import os, signal, sys, threading
stop = False
def churn():
    while not stop:
        [bytearray(50) for _ in range(50)]
threads = [threading.Thread(target=churn) for _ in range(3)]
[t.start() for t in threads]
signal.signal(signal.SIGALRM, lambda *a: [bytearray(10) for _ in range(10)])
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for i in range(60):
    pid = os.fork()
    if pid == 0:
        [bytearray(300) for _ in range(300)]
        os._exit(i)
    while True:
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        break
    assert status == i, (status, i)
signal.setitimer(signal.ITIMER_REAL, 0)
stop = True
[t.join() for t in threads]
print("ok")
END
need_tool python3
run_traced python3 -W ignore script.py >out || fail "status $?"
expect_eq output "$(cat out)" ok
expect "$OUTPUT" 'len(processes.rows) == 61' 'summary.totals.events_lost == 0' \
	'sorted(r.exit_status for r in processes.rows)[-1] == 59'
expect_sums "$OUTPUT"
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
