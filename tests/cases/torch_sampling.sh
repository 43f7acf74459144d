#!/bin/bash
# INTERCEPT_OPERATORS=N: one operator in N is recorded, every user scope and step is.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >prog.py <<'END'
import torch
weight = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(10):
    with torch.profiler.record_function("mine"):
        for _ in range(1000):
            weight.detach().erfinv()
    weight.grad = torch.ones(4)
    optimizer.step()
END
count() { "$REPORT" dump "$OUTPUT" | grep -c "$1"; }
export INTERCEPT_TRACE=torch
run_traced "$PYTHON" prog.py || fail "without sampling"
expect_eq "all operators" "$(count ' torch_begin.* name="aten::erfinv"')" 10000
expect_eq "sampling told without it" "$(count ' torch_sampling ')" 0
rm -f ./*.evt
INTERCEPT_OPERATORS=50 run_traced "$PYTHON" prog.py 2>err || fail "with sampling: $(cat err)"
# 200 are expected; the bounds are ten standard deviations away
expect_between "sampled operators" "$(count ' torch_begin.* name="aten::erfinv"')" 60 340
expect_eq "user scopes" "$(count ' torch_begin_id name="mine"')" 10
expect_eq "optimizer steps" "$(count ' torch_begin_id name="Optimizer.step#SGD.step"')" 10
expect_eq "sampling told" "$("$REPORT" dump "$OUTPUT" | grep ' torch_sampling ' | sed 's/.*one_in/one_in/')" "one_in=50 passes=1"
# 50 in a thousand: the square root of 200 * 50 * 49 is 700 of 10,000. A phase that only operators tell is not known; others are: no graph
# was recorded, no pass was made
expect "$OUTPUT" "ops.row(name='aten::erfinv').estimated_calls == 50 * $(count ' torch_begin.* name="aten::erfinv"')" \
	'5 <= ops.row(name="aten::erfinv").estimated_error < 14' 'ops.row(name="mine").estimated_calls == 10' \
	'summary.totals.operators == ops.totals.estimated_calls' \
	'ops.row(name="aten::erfinv").self_cpu_ns is None' 'ops.totals.self_cpu_ns is None' \
	'steps.rows[1].evaluation_ns is None' 'steps.totals.evaluation_ns is None' \
	'(steps.totals.forward_ns, steps.totals.backward_ns) == (0, 0)' 'steps.rows[1].optimizer_ns > 0' \
	'steps.rows[1].optimizer_ns + steps.rows[1].other_phase_ns == steps.rows[1].total_ns'
expect_match "the rest by its name" "$("$REPORT" steps "$OUTPUT" | tr '\n' ' ')" "phases: .*the rest [0-9]"
expect_match "footer of ops" "$("$REPORT" ops "$OUTPUT" | tr '\n' ' ')" "1 in 50 operators.*independently"
talk=$("$REPORT" ops --by shape "$OUTPUT" 2>&1 >/dev/null)
expect_match "talk about shapes" "$talk" "^prof-report: --by shape: shapes were not recorded: INTERCEPT_TRACE=\+shapes"
expect_match "summary" "$("$REPORT" "$OUTPUT")" "by total CPU time, 1 in 50 recorded"
expect_eq "ends" "$(count ' torch_end')" "$(count ' torch_begin')"
for wrong in 0 1.5 -1 x; do
	rm -f ./*.evt
	INTERCEPT_OPERATORS=$wrong run_traced "$PYTHON" -c pass 2>err || fail "INTERCEPT_OPERATORS=$wrong"
	expect_match "what is said of $wrong" "$(cat err)" "INTERCEPT_OPERATORS='?$wrong"
done
