#!/bin/bash
# Python stacks are sampled from outside: names, files and lines are those of the program's own frames, 3.8 to 3.14.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# Each place burns CPU time, and so much that it must be seen.
cat >script.py <<'END'
import sys, threading, time
def burn(seconds=0.15):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(50))
def generator():
    for _ in range(2):
        burn(0.1)
        yield
async def coroutine():
    burn()
class Method:
    def __call__(self):
        burn()
def deep(n):
    burn() if n == 0 else deep(n - 1)
for _ in generator():
    pass
try:
    coroutine().send(None)
except StopIteration:
    pass
Method()()
(lambda: burn())()
[burn(0.05) for _ in range(3)]
exec(compile("def made():\n\n  burn()\nmade()", "made up.py", "exec"), {"burn": burn})
sys.setrecursionlimit(20000)
threading.stack_size(256 << 20)
thread = threading.Thread(target=deep, args=(9000,), name="deep")
thread.start()
thread.join()
time.sleep(0.3)
END
cat >check.py <<'END'
import json, sys
rows = json.load(open("lines.json"))["rows"]
by = {}
for r in rows:
    by.setdefault((r["file"].split("/")[-1], r["function"]), set()).add(r["line"])
functions = {(r["file"].split("/")[-1], r["function"], r["line"]) for r in json.load(open("functions.json"))["rows"]}
source = open("script.py").read().split("\n")
line = lambda text: source.index(text) + 1
def want(function, number, file="script.py"):
    assert number in by.get((file, function), ()), (function, number, sorted(by.items()))
def first(function, number, file="script.py"):
    assert (file, function, number) in functions, (function, number, sorted(functions))
want("generator", line("        burn(0.1)"))
want("coroutine", line("async def coroutine():") + 1)
want("__call__", line("    def __call__(self):") + 1)
want("<lambda>", line("(lambda: burn())()"))
want("<module>", line("Method()()"))
want("made", 3, "made up.py")
want("deep", line("def deep(n):") + 1)
want("<module>", line("time.sleep(0.3)"))
first("generator", line("def generator():"))
first("coroutine", line("async def coroutine():"))
first("__call__", line("    def __call__(self):"))
first("burn", line("def burn(seconds=0.15):"))
first("made", 1, "made up.py")
assert all(n is None or 0 < n <= len(source) for (f, _), ns in by.items() if f == "script.py" for n in ns)
sleep = [r for r in rows if r["line"] == line("time.sleep(0.3)") and r["file"].endswith("script.py")]
assert sleep[0]["wait_ns"] > 0 and sleep[0]["sleep_ns"] > 0, sleep
totals = json.load(open("lines.json"))["totals"]
assert totals["samples"] > 50 and totals["samples_cut"] > 0, totals
assert totals["samples_torn"] <= totals["samples"] // 4, totals
END
found=0
for python in "${PYTHONS[@]}"; do
	found=$((found + 1))
	rm -f ./*.evt*
	INTERCEPT_SAMPLE=1000 run_traced "$python" script.py >out || fail "'$python' ended with $?"
	"$REPORT" lines --limit 0 --format json --wait 60 "$OUTPUT" >lines.json || fail "lines of '$python'"
	"$REPORT" lines --by function --limit 0 --format json "$OUTPUT" >functions.json || fail "functions of '$python'"
	python3 -S check.py || fail "of '$python'"
	torn=$(json lines "$OUTPUT" 'totals["samples_torn"]')
	expect_eq "torn by process" "$(json processes "$OUTPUT" 'sum(r["samples_torn"] for r in rows)')" "$torn"
	expect_eq "torn as check counts" "$("$REPORT" check "$OUTPUT" | grep -oE '[0-9]+ samples? torn' | sed 's/sample /samples /' | grep . || echo 0 samples torn)" \
		"$torn samples torn"
done
((found > 0)) || skip "no Python 3.8 to 3.14 is installed"

# each line of the file has what was seen in it
"$REPORT" lines --source script.py "$OUTPUT" >text || fail "lines --source ended with $?"
expect_match "the source beside its figures" "$(grep 'Method()()' text)" '[1-9].* Method\(\)\(\)'
# on a narrow screen half of it is the source, from the beginning of each line
COLUMNS=80 "$REPORT" lines --source script.py "$OUTPUT" >text || fail "lines --source at 80 columns"
python3 -S - text script.py <<'END' || fail "the source cannot be read at 80 columns: $(head -20 text)"
import sys
shown, source = (open(name, encoding="utf-8").read().split("\n") for name in sys.argv[1:])
assert max(map(len, shown)) <= 80, shown
for number, line in enumerate(source[:-1], 1):
    assert line[:36] in shown[number], (line, shown[number])
END
expect_eq "lines of the source" "$(json lines "$OUTPUT" 'len(rows)' --source script.py)" "$(grep -c '' script.py)"
"$REPORT" lines --source no-such.py "$OUTPUT" 2>&1 | grep -q 'cannot be read' || fail "a file that is not there is not said"
