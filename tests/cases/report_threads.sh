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

# of before threads were named: only main threads have their program's name
expect "$ROOT/tests/golden/counts.evt" \
	'all((t.name is None) == (t.tid not in [p.pid for p in processes.rows]) for t in threads.rows)'
expect "$ROOT/tests/golden/counts.evt" "all((r.name is None) == (r.thread not in [p.pid for p in processes.rows]) for r in alloc(\"--by\", \"thread\").rows)"
