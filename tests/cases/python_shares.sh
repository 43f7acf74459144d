#!/bin/bash
# Shares of CPU time by line and by function are those that a program has by construction, whatever else the machine does.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.8 to 3.13"

# Rounds of CPU time, measured by the thread's own clock: 10, 20, 30 and 40 parts, in an order that changes, with waits in between.
cat >shares.py <<'END'
import random, threading, time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
def one(): burn(0.010)
def two(): burn(0.020)
def three(): burn(0.030)
def four(): burn(0.040)
def work():
    order = random.Random(7)
    for _ in range(40):
        for part in order.sample((one, two, three, four), 4):
            part()
            if order.random() < 0.3:
                time.sleep(0.003)
thread = threading.Thread(target=work)
thread.start()
thread.join()
END
INTERCEPT_SAMPLE=200 run_traced "$python" shares.py || fail "ended with $?"
"$REPORT" lines --by function --format json --limit 0 --wait 60 "$OUTPUT" >functions.json || fail "no functions"
python3 - <<'END' || fail "the shares are others"
import json
rows = json.load(open("functions.json"))["rows"]
total = {r["function"]: r["total_cpu_ns"] for r in rows if r["file"].endswith("shares.py")}
parts = {"one": 10, "two": 20, "three": 30, "four": 40}
whole = sum(total.get(name, 0) for name in parts)
got = {name: 100 * total.get(name, 0) / whole for name in parts}
print(got)
for name, part in parts.items():
    assert abs(got[name] - part) <= 3, (name, got)
END
