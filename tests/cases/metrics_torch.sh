#!/bin/bash
# INTERCEPT_METRICS of a training: steps, phases and collections are those of the reports, with the heap about as it is; sampled operators have no backward pass.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >train.py <<'END'
import gc
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = TensorDataset(torch.randn(120, 64), torch.randn(120, 64))
for x, y in DataLoader(data, batch_size=4):
    optimizer.zero_grad()
    ((model(x) - y) ** 2).mean().backward()
    optimizer.step()
gc.collect()
END
export INTERCEPT_METRICS=train.prom
metrics() { # EXPRESSION...
	"$PYTHON" "$ROOT/tests/exposition.py" train.prom "$@" || fail "line ${BASH_LINENO[0]}"
}
total() { # the time of the operators whose name begins so, or so
	json ops "$OUTPUT" "sum(r['total_cpu_ns'] for r in rows if r['name'].startswith(('$1', '${2:-$1}')))"
}
run_traced "$PYTHON" train.py || fail "status $?"
metrics 'value("steps_total") == 30' 'value("step_number") == 30' \
	"value('step_seconds_count') == $(json steps "$OUTPUT" 'len(rows)')" \
	"round(value('step_seconds_sum') * 1e9) == $(json steps "$OUTPUT" 'sum(r["total_ns"] for r in rows)')" \
	"round(value('phase_seconds_total', phase='data') * 1e9) == $(total 'enumerate(DataLoader)#')" \
	"round(value('phase_seconds_total', phase='optimizer') * 1e9) == $(total Optimizer.step# Optimizer.zero_grad#)" \
	"round(value('phase_seconds_total', phase='backward') * 1e9) == $(total 'autograd::engine::evaluate_function')" \
	"sum(values('gc_collections_total')) == $(json gc "$OUTPUT" 'sum(r["collections"] for r in rows)')" \
	"round(value('gc_seconds_total') * 1e9) == $(json gc "$OUTPUT" 'sum(r["total_ns"] for r in rows)')"

rm -f train.prom ./*.evt*
INTERCEPT_OPERATORS=10 run_traced "$PYTHON" train.py || fail "status $?"
metrics 'value("steps_total") == 30' 'value("phase_seconds_total", phase="data") > 0' \
	'values("phase_seconds_total", phase="backward") == []'
