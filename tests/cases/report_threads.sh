#!/bin/bash
# Short-lived threads have names; a thread that lives when its process ends ends with it, none ends later, and a main thread has a name.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >sleeps.py <<'END'
import threading
import time

brief = threading.Thread(target=time.sleep, args=(0.2,))
brief.start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
brief.join()
END
run_traced python3 sleeps.py || fail "status $?"
expect "$OUTPUT" 'len(threads.rows) == 3' \
	'sum(t.end_ns == processes.rows[0].end_ns for t in threads.rows) == 2' \
	'all(t.end_ns <= processes.rows[0].end_ns for t in threads.rows)' \
	'min(t.end_ns for t in threads.rows) < processes.rows[0].end_ns'
rm -f run.evt
INTERCEPT_CHILDREN=all run_traced sleep 0.5 || fail "status $?"
expect "$OUTPUT" 'threads.rows[0].end_ns == processes.rows[0].end_ns' 'threads.rows[0].end_ns >= 500e6' \
	'threads.rows[0].name == "sleep"'

rm -f run.evt
cat >brief.py <<'END'
import ctypes
import threading

libc = ctypes.CDLL(None)


def work(number):
    libc.prctl(15, b"brief-%d" % number, 0, 0, 0)  # PR_SET_NAME
    bytes(10000)


for i in range(20):
    thread = threading.Thread(target=work, args=(i,))
    thread.start()
    thread.join()
END
run_traced python3 brief.py || fail "status $?"
expect "$OUTPUT" 'sorted(t.name for t in threads.rows if t.name and t.name.startswith("brief-")) == sorted("brief-%d" % i for i in range(20))'

# a process that names itself last is gone before its collector looks: a DataLoader's worker on a busy machine
rm -f run.evt
mkfifo go
cat >worker.py <<'END'
import ctypes
import os

input()
if not os.fork():
    bytes(10000)
    ctypes.CDLL(None).prctl(15, b"brief-worker", 0, 0, 0)
    os._exit(7)
os.wait()
print("waited", flush=True)
input()
END
run_traced python3 worker.py <go >out &
pid=$!
exec 3>go
collector=$(collector_of "$OUTPUT") || fail "no process has the file open"
kill -STOP "$collector"
echo >&3
eventually "the end of the worker" grep -q waited out
kill -CONT "$collector"
echo >&3
exec 3>&-
wait $pid || fail "status $?"
expect "$OUTPUT" 'threads.row(name="brief-worker").tid == processes.row(exit_status=7).pid'

# of before threads were named: only main threads have their program's name
expect "$ROOT/tests/golden/counts.evt" \
	'all((t.name is None) == (t.tid not in [p.pid for p in processes.rows]) for t in threads.rows)'
expect "$ROOT/tests/golden/counts.evt" "all((r.name is None) == (r.thread not in [p.pid for p in processes.rows]) for r in alloc(\"--by\", \"thread\").rows)"
