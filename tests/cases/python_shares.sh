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
        sum(range(200))
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
python3 -S - <<'END' || fail "the shares are others"
import json
doc = json.load(open("functions.json"))
rows, looks = doc["rows"], doc["totals"]["cpu_samples"]
total = {r["function"]: r["total_cpu_ns"] for r in rows if r["file"].endswith("shares.py")}
parts = {"one": 10, "two": 20, "three": 30, "four": 40}
whole = sum(total.get(name, 0) for name in parts)
got = {name: 100 * total.get(name, 0) / whole for name in parts}
print(got)
for name, part in parts.items():  # on a busy machine fewer looks find the thread on a CPU: four standard deviations of so many
    assert abs(got[name] - part) <= max(3, 4 * (part * (100 - part) / looks) ** 0.5), (name, got, looks)
assert looks > 50, looks
END

# the same as stacks: of the tree, of flame graphs and of what is exported; all of them add up to what lines has
"$REPORT" flame --of samples --format folded "$OUTPUT" >flame.folded || fail "flame --of samples ended with $?"
"$REPORT" export folded --of samples "$OUTPUT" -o exported || fail "export folded --of samples ended with $?"
cmp flame.folded exported || fail "exported stacks are others"
"$REPORT" export speedscope --of samples "$OUTPUT" -o speedscope.json || fail "export speedscope --of samples ended with $?"
"$REPORT" top-down --of samples --format json "$OUTPUT" >tree.json || fail "top-down --of samples ended with $?"
"$REPORT" flame --of samples --value wait --format folded "$OUTPUT" >waits || fail "flame --value wait ended with $?"
# every frame's own line, as stacks have it; else a line of the standard library counts for the caller
"$REPORT" lines --frames all --format json --limit 0 "$OUTPUT" >lines.json || fail "no lines"
python3 -S - <<'END' || fail "stacks of samples are not what lines has"
import collections, json
def read(name):
    return {stack: int(value) for stack, value in (line.rsplit(" ", 1) for line in open(name))}
totals = json.load(open("lines.json"))["totals"]
folded, waits = read("flame.folded"), read("waits")
assert sum(folded.values()) == totals["cpu_ns"] > 0, (sum(folded.values()), totals)
assert sum(waits.values()) == totals["wait_ns"] > 0, (sum(waits.values()), totals)
by = collections.Counter()
for stack, ns in folded.items():
    for name in set(stack.split(";")):
        by[name] += ns
functions = {r["function"]: r["total_cpu_ns"] for r in json.load(open("functions.json"))["rows"] if r["file"].endswith("shares.py")}
for name in ("one", "two", "three", "four", "work"):
    assert by[name] == functions[name], (name, by[name], functions[name])
assert any(stack.endswith(";work;one;burn") for stack in folded), folded
scope = json.load(open("speedscope.json"))["profiles"][0]
assert scope["unit"] == "nanoseconds" and sum(scope["weights"]) == totals["cpu_ns"], scope["unit"]
tree = json.load(open("tree.json"))
assert tree["totals"]["total"] == totals["cpu_ns"] and tree["totals"]["of"] == "samples", tree["totals"]
END
# by line each frame names its line; in a table no two stacks read the same; time is what is sampled, of functions too
"$REPORT" flame --time --by line --format folded "$OUTPUT" >by_line || fail "flame --time --by line ended with $?"
"$REPORT" flame --time --format folded "$OUTPUT" | cmp - flame.folded || fail "flame --time is not flame --of samples"
"$REPORT" top-down --time --by line --format json "$OUTPUT" >tree_by_line.json || fail "top-down --time --by line ended with $?"
python3 -S - <<'END' || fail "flame --by line is not what lines has"
import collections, json
lines = json.load(open("lines.json"))
rows = [line.rsplit(" ", 1) for line in open("by_line")]
assert sum(int(ns) for stack, ns in rows) == lines["totals"]["cpu_ns"]
by = collections.Counter()
for stack, ns in rows:
    by[stack.split(";")[-1]] += int(ns)
mine = [r for r in lines["rows"] if r["file"].endswith("/shares.py") and r["cpu_ns"]]
assert len(mine) >= 2, mine
for r in mine:
    name = "%s (%s:%d)" % (r["function"], "/".join(r["file"].split("/")[-2:]), r["line"])
    assert by[name] == r["cpu_ns"], (name, by[name], r["cpu_ns"])
assert any("burn (" in r["function"] for r in json.load(open("tree_by_line.json"))["rows"])
END
"$REPORT" flame --time --limit 0 --width 1000 "$OUTPUT" | awk '/;/ { print $1 }' | sort | uniq -d >twice
expect_eq "stacks that a table has twice" "$(cat twice)" ""
"$REPORT" functions --sampled --format csv "$OUTPUT" >sampled.csv || fail "functions --sampled ended with $?"
"$REPORT" lines --by function --sort total_cpu_ns --format csv "$OUTPUT" | cmp - sampled.csv || fail "functions --sampled"
"$REPORT" functions "$OUTPUT" 2>&1 | tr '\n' ' ' | grep -q -- '--sampled' || fail "functions does not lead to --sampled"
"$REPORT" flame --time 5s "$OUTPUT" 2>&1 | grep -q 'not A\.\.B' || fail "a stretch of time without an end is not refused"

"$REPORT" flame --of samples --value live "$OUTPUT" | grep -q 'samples has no --value live' || fail "a value that samples lack"
"$REPORT" flame --of alloc --value gil "$OUTPUT" | grep -q 'alloc has no --value gil' || fail "a value that alloc lacks"

# the summary has them in front of all tables, at 80 columns
COLUMNS=80 "$REPORT" "$OUTPUT" >summary.txt || fail "summary ended with $?"
grep -A 2 '^lines of Python by CPU time' summary.txt | grep -Eq '^shares.py:[0-9]+ +burn .* %' || fail "no lines: $(cat summary.txt)"
grep -A 7 '^functions of Python by CPU time' summary.txt | grep -Eq '^shares.py:10 +work ' || fail "no functions: $(cat summary.txt)"
expect_eq "lines of the summary that are too wide" "$(awk 'length > 80' summary.txt)" ""

# Threads and processes that live for less than a look: half of the CPU time each by construction. What is seen for the first time stands for
# those that nobody sees. That is an estimate; of threads it is never more than what the process has used and others were not seen with. Of
# processes it may be too much where they wait for a CPU; before, they had nothing.
cat >short.py <<'END'
import os, sys, threading, time
def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
def brief():
    burn(0.005)
def long():
    burn(1.5)
def child():
    child_id = os.fork()
    if not child_id:
        brief()
        os._exit(0)
    os.waitpid(child_id, 0)
def thread():
    it = threading.Thread(target=brief)
    it.start()
    it.join()
for _ in range(300):
    thread() if sys.argv[1] == "threads" else child()
long()
END
rm -f "$OUTPUT"
for kind in threads children; do
	run_traced "$python" short.py $kind || fail "short.py $kind ended with $?"
	"$REPORT" lines --by function --format json --limit 0 --wait 60 "$OUTPUT" >short.json || fail "short.py $kind: no functions"
	python3 -S - $kind short.json <<'END' || fail "$kind of 5 ms"
import json, sys
rows = json.load(open(sys.argv[2]))["rows"]
named = {r["function"]: r["total_cpu_ns"] for r in rows}
brief, whole = named.get("brief", 0), named.get("brief", 0) + named.get("long", 0)
# CPU time of a thread that is always in the queue when it is looked at has no place: it may belong to either
unplaced = sum(r["cpu_ns"] for r in rows if r["line"] is None)
least, most = 20, 60 if sys.argv[1] == "threads" else 100
assert 100 * (brief + unplaced) >= least * (whole + unplaced) and 100 * brief <= most * (whole + unplaced), (brief, whole, unplaced)
END
	rm -f "$OUTPUT"
done

# A thread that has come back from another interpreter is in its own again, though it has a state in both.
cat >interpreters.py <<'END'
import time
try:
    import _interpreters as interpreters
except ImportError:
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        interpreters = None
inside = """
import time
def guest():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        pass
guest()
"""
def host():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        pass
if interpreters and hasattr(interpreters, "run_string"):
    other = interpreters.create()
    interpreters.run_string(other, inside)
    host()
    print("both")
END
tried=0
for each in "${PYTHONS[@]}"; do
	[[ -x $each ]] || continue
	[[ $(run_traced "$each" interpreters.py 2>err) == both ]] || { rm -f "$OUTPUT"; continue; }
	tried=$((tried + 1))
	for name in guest host; do
		ms=$(json lines "$OUTPUT" "sum(r['total_cpu_ns'] for r in rows if r['function'] == '$name') // 1000000" --by function --wait 60)
		((ms >= 150)) || fail "$each: $name() has $ms ms of 300"
	done
	rm -f "$OUTPUT"
done
echo "interpreters of $tried releases were tried"
