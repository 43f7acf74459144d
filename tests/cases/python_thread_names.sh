#!/bin/bash
# Threads of Python have the names that threading.Thread(name=...) gave, also with samples alone; the program sees nothing of that.
# SPDX-License-Identifier: MIT
# timeout: 120
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export INTERCEPT_SAMPLE=200 # a thread of 60 ms has a dozen looks
cat >names.py <<'END'
import threading, time
go = threading.Event()
def work():
    end = time.thread_time() + 0.02
    while time.thread_time() < end:
        sum(range(1000))
    go.wait()
class Strange(threading.Thread):
    def __getattribute__(self, name):
        if name in ("_name", "_native_id") and reading:
            print("somebody reads", name)
        return super().__getattribute__(name)
reading = False
threads = [threading.Thread(target=work, name="reader %d of the very long named pool" % i) for i in range(3)]
threads += [Strange(target=work, name="strange"), threading.Thread(target=work, name="\u4e2d")]
for thread in threads:
    thread.start()
threads[1].name = "renamed"
reading = True
import json  # an audit event
reading = False
time.sleep(0.5) # of samples alone a name is known once somebody has looked
go.set()
for thread in threads:
    thread.join()
for _ in range(200):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
END
# No audit event comes while they live, and they have ended before the program does.
cat >silent.py <<'END'
import ctypes, threading, time
libc = ctypes.CDLL(None)
def work():
    end = time.thread_time() + 0.06
    while time.thread_time() < end:
        pass
def own():
    libc.prctl(15, b"its own name", 0, 0, 0)
    work()
class Pool(threading.Thread):
    def run(self):
        inner = threading.Thread(target=work, name="inner of " + self.name)
        inner.start()
        inner.join()
        work()
threads = [threading.Thread(target=work), threading.Thread(target=work, name="given"), threading.Thread(target=own), Pool(name="pool")]
for thread in threads:
    thread.start()
    thread.join()
END
tried=0
for python in "${PYTHONS[@]}"; do
	tried=$((tried + 1))
	for trace in +alloc -alloc,-imports; do
		rm -f ./*.evt*
		INTERCEPT_TRACE=$trace run_traced "$python" names.py >out 2>err || fail "$python, $trace: status $?: $(tail -3 err)"
		expect_eq "output of $python" "$(cat out err)" ''
		expect_eq "names under $python, $trace" \
			"$(json threads "$OUTPUT" '" ".join(sorted(r["name"] for r in rows if "reader" in (r["name"] or "") or r["name"] in ("renamed", "strange", "\u4e2d")))')" \
			"reader 0 of the very long named pool reader 2 of the very long named pool renamed strange 中"
		rm -f ./*.evt*
		INTERCEPT_TRACE=$trace run_traced "$python" silent.py >out 2>err || fail "$python, $trace: status $?: $(tail -3 err)"
		expect_eq "output of $python" "$(cat out err)" ''
		# what the kernel calls a thread is told with its first record
		own="its own name, pool" && [[ $trace == -* ]] && own=pool
		unnamed=$("$python" -c 'import threading; print(threading.Thread(target=lambda: 0, name=None).name.replace("<lambda>", "work"))')
		expect_eq "names under $python, $trace, of threads that nothing is heard of" \
			"$(json threads "$OUTPUT" '", ".join(sorted(r["name"] for r in rows if r["tid"] != r["pid"] and not r["name"].startswith("Thread-2")))')" \
			"$unnamed, given, inner of pool, $own"
		"$REPORT" export chrome -o trace.json "$OUTPUT" >out 2>&1 || fail "export: $(cat out)"
		expect_eq "names in the trace" "$(python3 -S -c 'import json
print(", ".join(sorted(e["args"]["name"].split(" (tid")[0] for e in json.load(open("trace.json"))["traceEvents"] if e["name"] == "thread_name" and e["tid"] != e["pid"] and not e["args"]["name"].startswith("Thread-2"))))')" \
			"$unnamed, given, inner of pool, $own"
	done
done
((tried > 0)) || skip "no CPython 3.8 to 3.14"
