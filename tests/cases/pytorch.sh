#!/bin/bash
# A short training with DataLoader workers: same losses and status, workers in the report, ranges exact.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_torch eager
cat >train.py <<'END'
import sys
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(1)
nvtx = torch.cuda.nvtx
def main():
    data = TensorDataset(torch.randn(96, 1, 8, 8), torch.randint(0, 10, (96,)))
    model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for x, y in DataLoader(data, batch_size=16, num_workers=2):
            with nvtx.range("step"):
                with nvtx.range("forward"):
                    loss = torch.nn.functional.cross_entropy(model(x), y)
                with nvtx.range("backward"):
                    loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            print("%.9f" % loss.item())
    sys.exit(5)
main()
END
same_as_bare "$PYTHON" train.py
expect_eq "exit status" "$status" 5
expect_eq "lines" "$(wc -l <traced.out)" 12
expect "$OUTPUT" 'nvtx.row(name="step").count == 12' 'nvtx.row(name="forward").count == 12' \
	'nvtx.row(name="backward").count == 12' 'nvtx.totals.count == 36' \
	'nvtx.row(name="step").total_ns >= nvtx.row(name="forward").total_ns + nvtx.row(name="backward").total_ns' \
	'nvtx.row(name="step").allocations > 12' \
	'processes.rows[0].exit_status == 5' \
	'len([r for r in processes.rows if r.parent_pid == processes.rows[0].pid]) >= 4' \
	'alloc.totals.allocations > 100000' 'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
