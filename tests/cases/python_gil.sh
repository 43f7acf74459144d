#!/bin/bash
# Who has the GIL and who waits for it, by thread and by line, of CPython 3.8 to 3.14; nothing where one thread runs.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# One thread computes without a pause, another has little to do, often: it waits for the first one.
cat >contend.py <<'END'
import threading, time
def hog():
    end = time.thread_time() + 0.7
    while time.thread_time() < end:
        for i in range(1000): pass
def meek():
    while busy.is_alive():
        time.sleep(0.001)
        sum(range(2000))
busy = threading.Thread(target=hog)
busy.start()
other = threading.Thread(target=meek)
other.start()
other.join()
busy.join()
END
# One holds the GIL while it sleeps, so that the other one waits however busy the machine is.
cat >hold.py <<'END'
import ctypes, threading, time
sleep = ctypes.PyDLL(None).usleep
ready = threading.Event()
def hold():
    ready.wait()
    for _ in range(5):
        sleep(250000)
        time.sleep(0.001)
def meek():
    time.sleep(0.1)  # until the main thread is in join()
    ready.set()
    while busy.is_alive():
        time.sleep(0.001)
busy = threading.Thread(target=hold)
busy.start()
other = threading.Thread(target=meek)
other.start()
other.join()
END
cat >check_hold.py <<'END'
import json
rows = json.load(open("hold.json"))["rows"]
totals = json.load(open("hold.json"))["totals"]
by = {r["function"]: r for r in rows if (r["file"] or "").endswith("hold.py")}
assert totals["wait_ns"] > 300e6, totals
# what is in no function, or in one of the library, is the same thread: as it starts, and in set()
assert by["meek"]["wait_ns"] > 0.5 * totals["wait_ns"], rows
assert by["hold"]["blocked_ns"] > 0.7 * totals["wait_ns"], rows
END
cat >check.py <<'END'
import json
def read(name):
    doc = json.load(open(name))
    return doc["rows"], doc["totals"]
threads, totals = read("thread.json")
functions, _ = read("function.json")
lines, _ = read("line.json")
waits = json.load(open("lines.json"))["rows"]
for name in ("held_ns", "wait_ns", "blocked_ns"):
    for rows in (threads, functions, lines):
        assert sum(r[name] for r in rows) == totals[name], (name, totals)
assert sum(r["gil_ns"] for r in waits) == totals["wait_ns"], totals
assert totals["wait_ns"] == totals["blocked_ns"] + totals["unknown_ns"]
assert totals["held_ns"] > 300e6 and totals["wait_ns"] > 100e6, totals
by = {r["function"]: r for r in functions if (r["file"] or "").endswith("contend.py")}
# its own CPU time; who loses the CPU with the GIL has that time, too, so that shares say nothing on a busy machine
assert by["hog"]["held_ns"] > 500e6, functions
hog = [r for r in lines if r["function"] == "hog" and r["line"] in (4, 5)]
assert sum(r["held_ns"] for r in hog) == by["hog"]["held_ns"], hog
END
export PYTHON_GIL=1 # free-threaded builds have one then
found=0
for python in "${PYTHONS[@]}"; do
	found=$((found + 1))
	rm -f ./*.evt*
	INTERCEPT_SAMPLE=200 run_traced "$python" contend.py || fail "'$python' ended with $?"
	for by in thread function line; do
		"$REPORT" gil --by $by --format json --wait 60 "$OUTPUT" >$by.json || fail "gil --by $by of '$python'"
	done
	"$REPORT" lines --format json --limit 0 "$OUTPUT" >lines.json || fail "lines of '$python'"
	python3 -S check.py || fail "of '$python'"
	rm -f ./*.evt*
	INTERCEPT_SAMPLE=200 run_traced "$python" hold.py || fail "hold.py: '$python' ended with $?"
	"$REPORT" gil --by function --format json --wait 60 "$OUTPUT" >hold.json || fail "gil of hold.py, '$python'"
	python3 -S check_hold.py || fail "of hold.py, '$python'"
	last=$python
done
((found > 0)) || skip "no Python 3.8 to 3.14 is installed"

rm -f ./*.evt*
INTERCEPT_SAMPLE=500 run_traced "$last" -c 'import time
end = time.process_time() + 0.3
while time.process_time() < end: pass' || fail "ended with $?"
"$REPORT" gil "$OUTPUT" >out || fail "gil ended with $?"
grep -q 'No thread was seen waiting for the GIL' out || fail "of one thread: $(cat out)"
INTERCEPT_SAMPLE=0 run_traced "$last" -c 0 || fail "ended with $?"
expect_match "without samples" "$("$REPORT" gil "$OUTPUT")" 'no Python stack was sampled'
