#!/bin/bash
# INTERCEPT_CAPTURE=trigger,light: steps and ranges always, operators and blocks only in captures, which are told apart; reports say what is of which.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >train.py <<'END_OF_PROGRAM'
import os, time, torch
x = torch.nn.Parameter(torch.ones(64))
optimizer = torch.optim.SGD([x], lr=0.1)
step = 0
while not os.path.exists("stop"):
    loss = x.sum()
    for _ in range(step % 5 + 1):
        torch.mul(x.detach(), 2)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.001)
    step += 1
print(step)
END_OF_PROGRAM
INTERCEPT_CAPTURE=trigger,light INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PYTHON" train.py >out 2>err &
program=$!
trap 'touch "$PWD/stop"; wait' EXIT
collector_of "$OUTPUT" >/dev/null || fail "no collector"
has_step() {
	"$REPORT" dump "$OUTPUT" 2>/dev/null | grep -q ' step number=2 '
}
eventually "the third step" has_step
"$REPORT" capture --steps 3 "$program" >first || fail "first capture: status $?"
"$REPORT" capture --steps 2 "$program" >second || fail "second capture: status $?"
touch stop
wait $program || fail "status $?: $(cat err)"
written
expect_silence err
expect_match "the first capture" "$(cat first)" ': capture 1: '
expect_match "the second capture" "$(cat second)" ': capture 2: '
"$REPORT" dump "$OUTPUT" >dumped
cat >judge.py <<'END_OF_JUDGE'
import json, re, subprocess, sys

program, recording, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
BLOCKS = ("malloc", "calloc", "realloc", "memalign", "free", "realloc_free", "tensor_alloc", "tensor_free")
on, drawn, begin, outside, allocations, numbers = False, {}, 0, [], 0, []
for line in open("dumped"):
    words = line.split()
    if not words[0].isdigit():
        continue
    assert words[2] not in ("capture_start", "capture_stop"), line
    if words[2] in ("detail_start", "detail_stop"):
        step, number = int(re.search("step=([0-9]+)", line)[1]), int(re.search("number=([0-9]+)", line)[1])
        assert (words[2] == "detail_start") != on, line
        if on:
            drawn[number] = set(range(begin, step))
        on, begin = not on, step
        numbers.append(number)
    elif not on and (words[2] in BLOCKS or words[2] == "torch_begin" or words[2] == "torch_begin_ex" and "scope=7" not in line):
        outside.append(line)
    elif on:
        allocations += words[2] in BLOCKS[:4]
assert numbers == [1, 1, 2, 2], numbers
assert [len(drawn[1]), len(drawn[2])] == [3, 2], drawn
assert not outside, outside[:3]
assert allocations


def output(*arguments):
    return subprocess.run([program, *arguments, recording], stdout=subprocess.PIPE, check=True).stdout.decode()


def report(*arguments):
    return json.loads(output(*arguments, "--format", "json", "--limit", "0"))


def muls(detailed):
    return sum(step % 5 + 1 for step in detailed)


def recorded(*arguments):
    return {row["name"]: row["calls"] for row in report("ops", *arguments)["rows"]}["aten::mul"]


both = drawn[1] | drawn[2]
assert recorded() == muls(both), (recorded(), both)
assert recorded("--capture", "1") == muls(drawn[1])
assert recorded("--capture", "2") == muls(drawn[2])
totals = report("steps")["totals"]
assert totals["steps"] == steps and totals["detailed"] == 5, (totals, steps)
assert report("alloc")["totals"]["allocations"] == allocations
assert json.loads(output("summary", "--format", "json"))["totals"]["captures"] == 2
said = "ecorded with detail: captures, 2 in all, with 5 of %s steps (INTERCEPT_CAPTURE=trigger,light)" % format(steps, ",")
for name in "ops", "steps", "alloc", "summary", "bottleneck", "nvtx":
    assert said in " ".join(output(name).split()), (name, output(name)[:1000])
without = min(set(range(1, steps)) - both)
shown = " ".join(output("ops", "--step", str(without)).split())
assert "of the steps within --step none has detail (INTERCEPT_CAPTURE=trigger,light)" in shown, shown
END_OF_JUDGE
python3 -S judge.py "$REPORT" "$OUTPUT" "$(cat out)" || fail "the reports say another thing"

# Nothing was asked for: steps are there, operators are not, and it is said why.
sed 's/not os.path.exists("stop")/step < 9/' train.py >short.py
INTERCEPT_CAPTURE=trigger,light INTERCEPT_OUTPUT=$PWD/light.evt LD_PRELOAD=$LIB "$PYTHON" short.py >out 2>err || fail "status $?"
written light.evt
expect_eq "steps without a capture" "$(json steps "$PWD/light.evt" 'totals["steps"]')" 9
expect_eq "operators without a capture" "$("$REPORT" dump light.evt | grep -c ' torch_begin ')" 0
expect_match "what bottleneck says" "$("$REPORT" bottleneck light.evt | tr -s '\n ' ' ')" 'captures, 0 in all, with 0 of 9 steps'
expect_match "why there is no block" "$("$REPORT" alloc light.evt | tr -s '\n ' ' ')" 'captures, 0 in all, with 0 of 9 steps'
