#!/bin/bash
# Wrappers of modules are seen through: DistributedDataParallel and CheckpointWrapper have no rows, and the modules in them their own names.
# SPDX-License-Identifier: MIT
# timeout: 200
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >wrapped.py <<'END'
import os
import sys
import torch
try:
    from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
except ImportError:
    sys.exit(77)
nn = torch.nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Block(), checkpoint_wrapper(Block())

    def forward(self, x):
        return self.second(self.first(x))


torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
net = nn.parallel.DistributedDataParallel(Net())
for _ in range(3):
    net(torch.randn(4, 8)).sum().backward()
torch.distributed.destroy_process_group()
os._exit(0)  # gloo now and then aborts in its own teardown, without intercept too
END
INTERCEPT_TRACE=+modules,-alloc run_traced "$PYTHON" -W ignore wrapped.py >out 2>err
status=$?
[[ $status != 77 ]] || skip "this PyTorch has no CheckpointWrapper"
expect_eq "status ($(tail -3 err))" $status 0
"$REPORT" modules --format json --limit 0 "$OUTPUT" >rows.json || fail "report"
python3 -S - <<'END' 2>why || fail "$(tail -1 why); $("$REPORT" modules "$OUTPUT")"
import json
rows = {row["module"]: row for row in json.load(open("rows.json"))["rows"]}
assert sorted(rows) == ["Net", "first", "first.linear", "second", "second.linear"], sorted(rows)
assert rows["Net"]["class"] == "Net" and rows["Net"]["depth"] == 0 and rows["second"]["class"] == "Block"
for name, row in rows.items():
    again = 3 if name.startswith("second") else 0
    assert row["calls"] == 3 and row["recomputed_calls"] == again, (name, row["calls"], row["recomputed_calls"])
assert rows["first.linear"]["backward_functions"] and rows["second.linear"]["backward_functions"]
END
