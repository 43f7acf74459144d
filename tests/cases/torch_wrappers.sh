#!/bin/bash
# Wrappers of modules are seen through: DistributedDataParallel and CheckpointWrapper have no rows, and the modules in them their own names. Shards of fully_shard() are parameters.
# SPDX-License-Identifier: MIT
# timeout: 200
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch # DTensor asks torch._dynamo
cat >wrapped.py <<'END'
import json
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
try:
    from torch.distributed.fsdp import fully_shard
except ImportError:
    fully_shard = None
if fully_shard:
    sharded = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 8))
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (1,))
    fully_shard(sharded[0], mesh=mesh), fully_shard(sharded, mesh=mesh)
    for _ in range(3):
        sharded(torch.randn(4, 8)).sum().backward()
    with open("sharded.json", "w", encoding="utf-8") as file:
        json.dump([sum(each.to_local().nbytes for each in (part.grad if grad else part for part in sharded.parameters())) for grad in (False, True)], file)
torch.distributed.destroy_process_group()
os._exit(0)  # gloo now and then aborts in its own teardown, without intercept too
END
INTERCEPT_TRACE=+modules,-alloc run_traced "$PYTHON" -W ignore wrapped.py >out 2>err
status=$?
[[ $status != 77 ]] || skip "this PyTorch has no CheckpointWrapper"
expect_eq "status ($(tail -3 err))" $status 0
"$REPORT" modules --format json --limit 0 "$OUTPUT" >rows.json || fail "report"
"$REPORT" tensors --by category --format json "$OUTPUT" >categories.json || fail "report by category"
python3 -S - <<'END' 2>why || fail "$(tail -1 why); $("$REPORT" modules "$OUTPUT")"
import json
import os
rows = {row["module"]: row for row in json.load(open("rows.json"))["rows"]}
if os.path.exists("sharded.json"):
    of = {row["category"]: row for row in json.load(open("categories.json"))["rows"]}
    whole = 4 * 2 * (64 + 8)  # of Net, which lives as long
    assert [of[name]["live_bytes"] - whole for name in ("parameters", "gradients")] == json.load(open("sharded.json")), of
    assert rows.pop("Sequential")["calls"] == rows.pop("0")["calls"] == rows.pop("1")["calls"] == rows.pop("2")["calls"] == 3
assert sorted(rows) == ["Net", "first", "first.linear", "second", "second.linear"], sorted(rows)
assert rows["Net"]["class"] == "Net" and rows["Net"]["depth"] == 0 and rows["second"]["class"] == "Block"
for name, row in rows.items():
    again = 3 if name.startswith("second") else 0
    assert row["calls"] == 3 and row["recomputed_calls"] == again, (name, row["calls"], row["recomputed_calls"])
assert rows["first.linear"]["backward_functions"] and rows["second.linear"]["backward_functions"]
END
