#!/bin/bash
# Labels of PyTorch are ranges: --range, --during, --by range, INTERCEPT_CAPTURE; NVTX of the same name, too.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_torch eager
cat >train.py <<'PROGRAM'
import threading
import torch
from torch.profiler import record_function

model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(32, 64)


def other():
    for _ in range(5):
        torch.zeros(10) + 1


for i in range(6):
    with record_function("forward"):
        y = model(x).sum()
    with record_function("both"), record_function("backward"):
        y.backward()
    with record_function("apart"):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    try:
        torch.cuda.nvtx.range_push("both")
        torch.ones(3).exp()
        torch.cuda.nvtx.range_pop()
    except RuntimeError:  # torch without NVTX
        with record_function("both"):
            torch.ones(3).exp()
    optimizer.step()
    optimizer.zero_grad()
PROGRAM
run_traced "$PYTHON" train.py >out 2>err || fail "status $?: $(cat err)"
expect "$OUTPUT" \
	'ops("--range", "forward").row(name="aten::addmm").calls == 6' \
	'not ops("--range", "forward").select(name="aten::exp")' \
	'not ops("--range", "apart").select(name="aten::zeros")' \
	'ops("--during", "apart").row(name="aten::zeros").calls == 30' \
	'ops("--range", "both").row(name="aten::exp").calls == 6' \
	'ops("--range", "both").row(name="aten::mm").calls == 6' \
	'alloc("--range", "backward").totals.allocations > 0' \
	'{r["domain"] for r in tensors("--by", "range").rows if r["range"] in ("forward", "backward")} == {"label"}' \
	'all(ops("--step", str(n)).row(name="forward").calls == 1 for n in range(1, 6))' \
	'ops("--step", "1..3").row(name="aten::addmm").calls == 3' \
	'[r["step"] for r in steps("--step", "2..4", "--sort", "step").rows] == [2, 3, 4]' \
	'steps("--step", "2..4").totals.total_ns == sum(r["total_ns"] for r in steps.rows if 2 <= r["step"] <= 4)' \
	'sum(ops("--step", str(n)).row(name="aten::addmm").calls for n in range(1, 6)) == 5' \
	'summary("--step", "1").totals.steps == 1' \
	'summary("--step", "1").totals.startup_ns is None' \
	'summary.totals.startup_ns + summary.totals.steps_ns + summary.totals.after_ns == summary.totals.wall_ns' \
	'summary.totals.steps_ns >= summary.totals.step_total_ns' \
	'alloc("--step", "1..2").totals.allocations == alloc("--step", "1").totals.allocations + alloc("--step", "2").totals.allocations' \
	'ops("--time", "-1000s..").totals == ops.totals' \
	'alloc("--time", "..-1ms").totals.allocations + alloc("--time", "-1ms..").totals.allocations == alloc.totals.allocations'
"$REPORT" "$OUTPUT" | tr '\n' ' ' >text
grep -Eq '^python.* train.py ran [^:]* of CPU time.* run +\[.*\] .* start [^(]*\(torch imported after [^)]*\),.* 6 steps .* after them .* a step +\[.*\] median .* In the steps.*: ' text ||
	fail "the first sentences: $(cat text)"
"$REPORT" summary --step 1 "$OUTPUT" | tr '\n' ' ' | grep -Eq 'All that follows is within --step; [^.]*\. 1 step took [0-9.]+ [mu]?s\. .* In the steps.*: ' ||
	fail "the sentences of one step: $("$REPORT" summary --step 1 "$OUTPUT")"
for wrong in 6 600..700; do
	"$REPORT" ops --step "$wrong" "$OUTPUT" >out 2>talk.txt
	expect_eq "status of step $wrong" "$?" 2
	expect_eq "what is said of step $wrong" "$(cat talk.txt)" "prof-report: --step: there is no such step; 6 steps were recorded, 0 to 5"
	[[ ! -s out ]] || fail "a table of step $wrong: $(cat out)"
done
"$REPORT" ops --time 1000s..-1ms "$OUTPUT" >out 2>talk.txt
expect_eq "status of a time that ends before it begins" "$?" 2
grep -q '^prof-report: --time: ' talk.txt || fail "a time that ends before it begins: $(cat talk.txt)"

for capture in label:forward range:forward; do
	rm -f "$OUTPUT"
	INTERCEPT_TRACE=-alloc INTERCEPT_CAPTURE=$capture run_traced "$PYTHON" train.py >out 2>err || fail "$capture: status $?: $(cat err)"
	expect "$OUTPUT" 'ops.row(name="forward").calls == 6' 'ops.row(name="aten::addmm").calls == 6' \
		'not ops.select(name="backward")' 'not ops.select(name="aten::exp")'
done
rm -f "$OUTPUT"
INTERCEPT_TRACE=alloc INTERCEPT_CAPTURE=label:forward run_traced "$PYTHON" train.py >out 2>err || fail "alloc: status $?"
expect "$OUTPUT" 'alloc.totals.allocations > 0' 'not ops.rows'
rm -f "$OUTPUT"
INTERCEPT_CAPTURE=nvtx:forward run_traced "$PYTHON" train.py >out 2>err || fail "nvtx: status $?"
"$REPORT" "$OUTPUT" | grep -q '^recording was limited to nvtx:forward, which never opened' || fail "a label opened nvtx:"
