#!/bin/bash
# INTERCEPT_BUDGET=1/4: detail in whole steps that are drawn, all else always; every report says of what its figures are.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >train.py <<'END'
import ctypes, glob, os, torch
lib = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))[0])
ask = getattr(lib, "_ZN2at27getStepCallbacksUnlessEmptyENS_11RecordScopeE")

def has_callbacks(scope):  # std::optional through a hidden pointer: nothing but zeros when there is none
    room = ctypes.create_string_buffer(4096)
    ask(room, scope)
    return any(room.raw)

STEPS = 60
x = torch.nn.Parameter(torch.ones(64))
optimizer = torch.optim.SGD([x], lr=0.1)
with torch.profiler.record_function("all of it"):
    for step in range(STEPS):
        with torch.profiler.record_function("forward"):
            loss = x.sum()
            for _ in range(step % 5 + 1):  # no step is like its neighbours
                torch.mul(x.detach(), 2)
        loss.backward()
        print("step", step, has_callbacks(0), has_callbacks(7))
        optimizer.step()
        optimizer.zero_grad()
END
INTERCEPT_BUDGET=1/4,first=8 run_traced "$PYTHON" train.py >out 2>err || fail "status $?: $(cat err)"
expect_silence err
"$REPORT" dump "$OUTPUT" >dumped
cat >judge.py <<'END'
import json, re, subprocess, sys

program, recording = sys.argv[1:]
steps, drawn, begin, on, outside = 60, set(), 0, True, []
BLOCKS = ("malloc", "calloc", "realloc", "memalign", "free", "realloc_free", "tensor_alloc", "tensor_free")
allocations = 0
for line in open("dumped"):
    words = line.split()
    if words[2] in ("detail_start", "detail_stop"):
        step = int(re.search("step=([0-9]+)", line)[1])
        assert (words[2] == "detail_start") != on, line
        if on:
            drawn |= set(range(begin, step))
        on, begin = not on, step
    elif ":" not in words[1]:
        continue
    elif not on and (words[2] in BLOCKS or words[2] == "torch_begin" or words[2] == "torch_begin_ex" and "scope=7" not in line):
        outside.append(line)
    else:
        allocations += words[2] in BLOCKS[:4]
if on:
    drawn |= set(range(begin, steps))
assert set(range(8)) <= drawn and 8 < len(drawn) < steps, sorted(drawn)
assert not outside, outside[:3]
# PyTorch has our callback for operators only in steps with detail; the one for labels stays
for line in open("out"):
    _, step, has_operators, has_labels = line.split()
    assert (has_operators == "True") == (int(step) in drawn), line
    assert has_labels == "True", line


def output(*arguments):
    return subprocess.run([program, *arguments, recording], stdout=subprocess.PIPE, check=True).stdout.decode()


def report(*arguments):
    return json.loads(output(*arguments, "--format", "json", "--limit", "0"))


ops = {row["name"]: row for row in report("ops")["rows"]}
assert ops["aten::mul"]["calls"] == sum(step % 5 + 1 for step in drawn), ops["aten::mul"]
assert ops["forward"]["calls"] == len(drawn), ops["forward"]
assert "all of it" not in ops, "its self time is not known"
table = report("steps")
totals = table["totals"]
assert totals["steps"] == steps and totals["detailed"] == len(drawn), totals
assert sum(row["total_ns"] for row in table["rows"]) == totals["total_ns"]
for row in table["rows"]:
    for name in "operators_ns", "other_ns", "gc_ns", "forward_ns", "optimizer_ns":
        assert (row[name] is not None) == (row["step"] in drawn), (row["step"], name)
    assert row["total_ns"] and row["collections"] is not None and row["running_ns"] is not None, row
parts = ("communication_ns", "runtime_ns", "gc_ns", "dataloader_ns", "operators_ns", "other_ns")
assert sum(totals[name] for name in parts) == totals["detailed_ns"], totals
said = "ecorded with detail: %d of %d steps (INTERCEPT_BUDGET)" % (len(drawn), steps)
for name in "ops", "steps", "alloc", "leaks", "tensors", "summary", "bottleneck", "memory", "nvtx":
    assert said in " ".join(output(name).split()), (name, output(name)[:1000])
# of a step without detail an empty table says why it is empty
without = min(set(range(steps)) - drawn)
shown = " ".join(output("ops", "--step", str(without)).split())
assert "of the steps within --step none has detail (INTERCEPT_BUDGET)" in shown, shown
assert {row["name"]: row for row in report("ops", "--step", "7")["rows"]}["aten::mul"]["calls"] == 7 % 5 + 1
# what lives is that of the first window: nothing of later ones can be taken for a leak, or for a free that matches nothing
alloc = report("alloc")["totals"]
assert alloc["allocations"] == allocations, (alloc["allocations"], allocations)
assert not alloc["frees_unmatched"], alloc
END
python3 -S judge.py "$REPORT" "$OUTPUT" || fail "the reports say another thing"

# Windows that were drawn stand for the other steps: what is in each step is known, the rest within its error.
sed 's/^STEPS = 60/STEPS = 400/' train.py >long.py
INTERCEPT_BUDGET=1/6,first=8 INTERCEPT_TRACE=torch INTERCEPT_OUTPUT=$PWD/long.evt LD_PRELOAD=$LIB "$PYTHON" long.py >out || fail "status $?"
written long.evt
"$REPORT" ops --format json --limit 0 long.evt >long.json || fail "ops: status $?"
python3 -S - <<'END' || fail "the estimates"
import json

ops = {row["name"]: row for row in json.load(open("long.json"))["rows"]}
forward, mul, all_of = ops["forward"], ops["aten::mul"], sum(step % 5 + 1 for step in range(400))
assert forward["calls"] < 200 and forward["estimated_calls"] == 400 and forward["estimated_error"] < 1e-3, forward
# four standard errors; the same steps are drawn in each run
assert 0 < mul["estimated_error"] < 20 and abs(mul["estimated_calls"] / all_of - 1) <= mul["estimated_error"] / 25, (mul, all_of)
assert mul["estimated_cpu_ns"] > mul["total_cpu_ns"] and mul["estimated_cpu_error"] > 0, mul
END

# Exports say of what they are: on stderr, and in formats that have a place for it.
said='Not recorded: operators and allocations outside of the steps and times with detail (INTERCEPT_BUDGET=1/4,first=8)'
for format in chrome folded pprof callgrind; do
	"$REPORT" export $format "$OUTPUT" -o exported.$format 2>err || fail "export $format: status $?"
	grep -qF "$said" err || fail "export $format does not say of what it is: $(cat err)"
done
grep -qF "$said" exported.callgrind || fail "callgrind's file does not say of what it is"

# Each run draws the same steps, as each rank of a job does.
INTERCEPT_BUDGET=1/4,first=8 INTERCEPT_TRACE=torch INTERCEPT_OUTPUT=$PWD/again.evt LD_PRELOAD=$LIB "$PYTHON" train.py >out ||
	fail "status $?"
"$REPORT" dump again.evt >dumped.again
edges() {
	grep -oE 'detail_st.* step=[0-9]+' "$1"
}
expect_eq "windows of another run" "$(edges dumped.again)" "$(edges dumped)"

"$REPORT" diff "$OUTPUT" again.evt ops >compared || fail "diff"
expect_match "what diff says" "$(tr '\n' ' ' <compared)" 'INTERCEPT_BUDGET was set: sums of operators and allocations are of the steps that'

# A worker that is forked where there is no detail records its own all the same.
cat >workers.py <<'END'
import os, torch
x = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([x], lr=0.1)
for step in range(12):
    x.sum().backward()
    optimizer.step()
pid = os.fork()
if not pid:
    for _ in range(7):
        torch.mul(x.detach(), 2)
    os._exit(0)
os.waitpid(pid, 0)
print(pid)
END
INTERCEPT_BUDGET=1/1000000,first=4 INTERCEPT_OUTPUT=$PWD/workers.evt LD_PRELOAD=$LIB "$PYTHON" workers.py >out || fail "status $?"
written
expect_eq "operators of the child" "$(json ops "$PWD/workers.evt" 'row(name="aten::mul")["calls"]' --process "$(cat out)")" 7

# Without steps all of it is recorded, and so it is where another setting says when to record.
echo 'import torch; x = torch.ones(3); [torch.mul(x, 2) for _ in range(9)]' >plain.py
INTERCEPT_BUDGET=2% INTERCEPT_OUTPUT=$PWD/plain.evt LD_PRELOAD=$LIB "$PYTHON" plain.py || fail "status $?"
expect_eq "operators without steps" "$(json ops "$PWD/plain.evt" 'row(name="aten::mul")["calls"]')" 9
INTERCEPT_BUDGET=1/4,first=0 INTERCEPT_CAPTURE=label:forward INTERCEPT_OUTPUT=$PWD/captured.evt LD_PRELOAD=$LIB \
	"$PYTHON" train.py >out 2>err || fail "status $?"
expect_match "a setting that changes nothing" "$(cat err)" \
	"^intercept: INTERCEPT_BUDGET='1/4,first=0' is set beside INTERCEPT_CAPTURE or INTERCEPT_SCHEDULE"
expect_eq "calls in all of the ranges" "$(json ops "$PWD/captured.evt" 'row(name="aten::mul")["calls"]')" 180
