#!/bin/bash
# Actions of a program without Lightning: PyTorch's user scopes, or NVTX ranges where operators are not recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 120
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >train.py <<'END'
import time
import torch
model = torch.nn.Linear(8, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(40, 8)), batch_size=8)
for epoch in range(2):
    with torch.cuda.nvtx.range("epoch"):
        for (x,) in data:
            with torch.profiler.record_function("forward"):
                time.sleep(0.002)
                loss = model(x).sum()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
END
run_traced "$PYTHON" train.py || fail "status $?"
next='enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__'
# the sixth asks in vain
expect "$OUTPUT" 'actions.totals.source == "scopes"' 'actions.row(name="forward").calls == 10' \
	'actions.row(name="Optimizer.step#SGD.step").calls == 10' 'actions.row(name="Optimizer.zero_grad#SGD.zero_grad").calls == 10' \
	"actions.row(name='$next').calls == 12" 'len(actions.rows) == 4' 'actions.sum("calls") == actions.totals.calls' \
	'actions.row(name="forward").total_ns >= 20e6' \
	'actions.row(name="forward").total_ns < actions.totals.wall_ns < summary.totals.wall_ns' \
	'abs(actions.row(name="forward").percent * actions.totals.wall_ns / 100 - actions.row(name="forward").total_ns) < 1e6' \
	'all(r.total_ns == ops.row(name=r.name).total_cpu_ns for r in actions.rows)'
expect_match "title" "$("$REPORT" actions "$OUTPUT" | head -n 1)" '^user scopes of PyTorch'
"$REPORT" actions --filter 'name=no such' "$OUTPUT" >out || fail "filter: status $?"
expect_match "no row" "$(tail -n 1 out)" 'no row meets --filter'
expect_eq "lines of csv" "$("$REPORT" actions --format csv --columns name,calls "$OUTPUT" | wc -l)" 5

rm -f ./*.evt
INTERCEPT_TRACE=-torch run_traced "$PYTHON" train.py || fail "status $?"
expect "$OUTPUT" 'actions.totals.source == "nvtx"' 'len(actions.rows) == 1' 'actions.row(name="epoch").calls == 2' \
	'actions.totals.wall_ns >= actions.row(name="epoch").total_ns == nvtx.row(name="epoch").total_ns'
expect_match "title" "$("$REPORT" actions "$OUTPUT" | head -n 1)" '^NVTX ranges'

need_program empty
rm -f ./*.evt
run_traced "$PROGRAMS/empty" || fail "status $?"
"$REPORT" actions "$OUTPUT" >out || fail "nothing: status $?"
expect_eq "lines when there is nothing ($(cat out))" "$(wc -l <out)" 1
expect "$OUTPUT" 'actions.totals.source == "none"' 'actions.rows == []'
