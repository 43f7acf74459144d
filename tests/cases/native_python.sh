#!/bin/bash
# Native stacks below Python: PyTorch's own code has the CPU time of its operators, beside Python's samples, and Python runs as without.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
cat >script.py <<'END'
import sys, time, torch
torch.manual_seed(0)
a = torch.randn(192, 192)
def product(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        for _ in range(20):
            a @ a
def python(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(i for i in range(2000))
begin = time.thread_time()
for _ in range(int(sys.argv[1])):
    product(0.1)
    python(0.1)
print("%.0f" % (a @ a).sum())
END
"$PYTHON" script.py 1 >bare || fail "bare: status $?"
INTERCEPT_TRACE=+native-samples,-alloc INTERCEPT_SAMPLE=500 run_traced "$PYTHON" script.py 20 >out 2>err || fail "status $?: $(cat err)"
expect_eq 'output' "$(cat out)" "$(cat bare)"
"$REPORT" check --wait 60 "$OUTPUT" >out || fail "check: $(cat out)"
"$REPORT" native "$OUTPUT" >table
off=$(grep 'no native stack was sampled' table) && skip "$off"
# the operator was open for half of the 4 s after the import, and its library was in the stacks then
"$REPORT" native --format json --limit 0 --by op "$OUTPUT" >op.json || fail "--by op: status $?"
"$REPORT" native --format json --limit 0 --by module "$OUTPUT" >module.json || fail "--by module: status $?"
"$REPORT" lines --format json --limit 0 --by function "$OUTPUT" >lines.json || fail "lines: status $?"
python3 -S - <<'END' 2>why || fail "$("$REPORT" native --by op --limit 5 "$OUTPUT"; "$REPORT" native --by module --limit 5 "$OUTPUT"; cat why)"
import json
ops = {r["op"]: r for r in json.load(open("op.json"))["rows"]}
doc = json.load(open("module.json"))
modules = {r["module"]: r for r in doc["rows"]}
lines = {r["function"]: r for r in json.load(open("lines.json"))["rows"]}
# on a busy machine samples are lost, at most so many: what is there is no more than the whole, and with them no less
lost = 1 + doc["totals"]["samples_lost"] / doc["totals"]["samples"]
mm = ops["aten::mm"]["cpu_ns"]
assert 1.4e9 <= mm * lost and mm <= 2.2e9, (mm, lost)
assert 0.8 * ops["aten::mm"]["cpu_ns"] <= modules["libtorch_cpu.so"]["total_cpu_ns"]
# Python's samples are beside them, and see the same
unread = sum(lines[name]["total_cpu_ns"] for name in lines if "could not be read" in str(name))
seen = [lines[name]["total_cpu_ns"] for name in ("product", "python")]
# a look that comes too late on a busy machine is nobody's; but half of the 2 s of each was read, and nobody has more than those
assert 1e9 < min(seen) and max(seen) < 2.4e9 and min(seen) + unread > 1.6e9, (seen, unread)
all_ns = json.load(open("lines.json"))["totals"]["cpu_ns"]
assert 0.85 * all_ns <= doc["totals"]["cpu_ns"] * lost and doc["totals"]["cpu_ns"] <= 1.15 * all_ns, (doc["totals"], all_ns)
END
expect_match 'the summary' "$("$REPORT" "$OUTPUT" | tr '\n' ' ')" "Python.s lines in the run \(.*Native functions \("
exit 0
