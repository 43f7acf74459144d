#!/bin/bash
# Operators, backward functions and user scopes: the same names and counts as torch.profiler sees in the same run.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >train.py <<'END'
import collections, json, torch
from torch.profiler import profile, ProfilerActivity, record_function
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 1, 8, 8), torch.randint(0, 10, (16,))
def step():
    with record_function("my step"):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
    optimizer.step()
    optimizer.zero_grad()
step()
torch.ones(3).erfinv()  # marks the begin of what is compared
with profile(activities=[ProfilerActivity.CPU]) as p:
    for _ in range(5):
        step()
torch.ones(3).erfinv()  # and the end
seen = collections.Counter(e.name for e in p.events())
json.dump(seen, open("seen.json", "w"))
END
run_traced "$PYTHON" train.py >out 2>err || fail "$(cat err)"
expect_silence err
"$REPORT" dump "$OUTPUT" >dump.txt
python3 -S - <<'END' || fail "names and counts differ from torch.profiler's"
import collections, json, re
seen = json.load(open("seen.json"))
begins = [re.search(r' torch_begin(_ex|_id)? name="((?:[^"\\]|\\.)*)"(.*)', line) for line in open("dump.txt")]
begins = [(m.group(2), m.group(3)) for m in begins if m]
marks = [i for i, (name, _) in enumerate(begins) if name == "aten::erfinv"]
assert len(marks) == 2, marks
window = begins[marks[0] + 1:marks[1]]
ours = collections.Counter(name for name, _ in window)
# the marks' own input; and what torch.profiler does not show of itself
wrong = {n: (seen.get(n, 0), ours.get(n, 0)) for n in set(seen) | set(ours)
         if seen.get(n, 0) != ours.get(n, 0) and n not in ("aten::ones", "aten::empty", "aten::fill_")
         and not n.startswith("profiler::")}
assert not wrong, "torch.profiler, ours: %r" % wrong
assert ours["my step"] == 5 and ours["Optimizer.step#SGD.step"] == 5, ours
# backward functions carry the number of their forward operator
rest = [dict(re.findall(r"(\w+)=(-?\d+)", text), name=name) for name, text in window if text]
forward = {r["sequence"]: r["name"] for r in rest if r["scope"] == "0" and r["sequence"] != "-1"}
back = [r for r in rest if r["scope"] == "1"]
assert len(back) >= 5 * 5 and all(r["forward_thread"] == "1" for r in back), back[:3]
assert {forward.get(r["sequence"]) for r in back if r["name"] == "AddmmBackward0"} <= {"aten::linear", "aten::addmm"}
END
begin=$(grep -c ' torch_begin' dump.txt)
expect_eq "ends" "$(grep -c ' torch_end' dump.txt)" "$begin"

# nothing of what we ran to find our way is recorded
rm -f ./*.evt
run_traced "$PYTHON" -c 'import torch; torch.ones(3)' || fail "an operator alone"
expect_eq "all operators" "$("$REPORT" dump "$OUTPUT" | sed -n 's/.* torch_begin.* name="\([^"]*\)".*/\1/p' | paste -sd ' ')" \
	"aten::ones aten::empty aten::fill_"

# without the family nothing of it is done
rm -f ./*.evt
INTERCEPT_TRACE=-torch run_traced "$PYTHON" -c 'import torch; torch.ones(3)' || fail "with INTERCEPT_TRACE=-torch"
expect_eq "operators without the family" "$("$REPORT" dump "$OUTPUT" | grep -c ' torch_begin')" 0
