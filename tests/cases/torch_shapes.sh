#!/bin/bash
# INTERCEPT_TRACE=+shapes: sizes and types of inputs are those that torch.profiler has for the same operators.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_torch eager
cat >shapes.py <<'END'
import collections, json, threading, torch
from torch.profiler import profile, ProfilerActivity
x, h, z = torch.ones(2, 3, requires_grad=True), torch.ones(4, dtype=torch.half), torch.ones((), dtype=torch.int64)
RARE = [name for name in dir(torch) if isinstance(getattr(torch, name), torch.dtype) and not name.startswith("q")]
def work():
    torch.cat([x, x], 0); torch.stack([x, x]); x * 2; x * 2.5; x * True; x * 1j; h * h; z + 1; x.add(x, alpha=3)
    torch.empty(3, 4); x.sum(0); x.sum([1, 0], True); x.sum().backward(); torch.where(x > 0, x, x); x.to(torch.float64)
    torch.nn.functional.conv2d(torch.ones(1, 2, 9, 8), torch.ones(4, 1, 3, 2), stride=(2, 1), padding=1, groups=2)
    torch.zeros(1, 2, 3, 1, 2, 1, 1).sum(); torch._foreach_add([x.detach(), h], 1.0); x.expand(4, 2, 3)
    for name in ("uint8", "int8", "int16", "int32", "int64", "float64", "bfloat16", "complex64", "complex128", "bool"):
        torch.zeros(2, 0, dtype=getattr(torch, name)).logical_not()
    for name in RARE:
        torch.empty(2, 0, dtype=getattr(torch, name)).view(0, 2)
work()
with profile(activities=[ProfilerActivity.CPU]):
    pass  # the first one may run operators of its own
torch.ones(3).erfinv()  # marks the begin of what is compared
with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_flops=True) as p:
    for _ in range(3):
        work()
torch.ones(3).erfinv()  # and the end
p.export_chrome_trace("trace.json")
# wider than what is kept: told, and nothing goes wrong
torch._foreach_add([torch.zeros(2, 2) for _ in range(1000)], 1.0)
thread = threading.Thread(target=lambda: torch.zeros(11, 13).mul(3))
thread.start()
thread.join()
END
INTERCEPT_TRACE=+shapes,-alloc run_traced "$PYTHON" shapes.py >out 2>err || fail "$(cat err)"
expect_silence err
grep -q '"Input Dims"' trace.json || skip "the trace of this torch.profiler has no inputs to compare with"
"$REPORT" dump "$OUTPUT" >dump.txt
python3 -S - <<'END' || fail "sizes or types differ from torch.profiler's"
import collections, json, re
theirs = collections.Counter()
for event in json.load(open("trace.json"))["traceEvents"]:
    args = event.get("args", {})
    if event.get("cat") == "cpu_op" and args.get("Input Dims"):
        theirs[event["name"], str(args["Input Dims"]), str(args["Input type"])] += 1
ours, marks, integers, last = collections.Counter(), 0, set(), None
for line in open("dump.txt"):
    begin = re.search(r' torch_begin(?:_ex|_id)? name="([^"]*)"', line)
    if begin:
        last = begin.group(1)
        marks += last == "aten::erfinv"
    inputs = re.search(r' torch_inputs shapes="([^"]*)" types="([^"]*)" integers="([^"]*)"', line)
    if inputs and last != "aten::erfinv" and marks == 1:
        ours[(last,) + inputs.groups()[:2]] += 1
        if last == "aten::conv2d":
            integers.add(inputs.group(3))
# torch.profiler of PyTorch 2.1 and before says nothing of the tensors in a list
if not any("TensorList" in types and "[[[" in shapes for _, shapes, types in theirs):
    theirs, ours = ({k: v for k, v in side.items() if "TensorList" not in k[2]} for side in (theirs, ours))
    theirs, ours = collections.Counter(theirs), collections.Counter(ours)
# the second mark's own inputs
wrong = {k: (theirs[k], ours[k]) for k in set(theirs) | set(ours) if theirs[k] != ours[k] and "[3]" not in k[1]
         and not (k[0] in ("aten::ones", "aten::empty") and theirs[k] + 1 == ours[k])}
assert not wrong, "torch.profiler, ours: %r" % wrong
assert sum(theirs.values()) > 300, theirs
assert integers == {"[2, 1, 1, 1, 1, 1, 2]"}, integers
END
expect_eq "the thread's operator" "$(grep -c 'shapes="\[\[11, 13\], \[\]\]" types="\['"'float'" dump.txt)" 1
expect_match "a list that is too long" "$(grep 'shapes="\[\[\[2, 2\]' dump.txt)" '\[2, 2\], \.\.\.\]\]'
# shapes brings torch with it, and nothing else
rm -f ./*.evt
INTERCEPT_TRACE=shapes run_traced "$PYTHON" -c 'import torch; torch.zeros(2, 5).mul(3)' || fail "INTERCEPT_TRACE=shapes"
expect_eq "shapes alone" "$("$REPORT" dump "$OUTPUT" | grep -c 'shapes="\[\[2, 5\], \[\]\]"')" 1
expect_eq "heap events" "$("$REPORT" dump "$OUTPUT" | grep -c ' malloc ')" 0
