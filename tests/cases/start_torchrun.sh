#!/bin/bash
# torchrun as docs/STARTING.md starts it: the ranks' files are read together.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_starting
python -c 'import torch.distributed as d; exit(not (d.is_available() and d.is_gloo_available()))' || skip "this torch has no gloo"
# the end is short: gloo of torch 2.15 now and then aborts in its own teardown, without intercept too
cat >train.py <<'END'
import os

import torch
import torch.distributed
torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
for _ in range(7):
    model(torch.randn(4, 8)).erf().sum().backward()
torch.distributed.barrier()
os._exit(0)
END
# its own port may be taken
export PET_RDZV_ENDPOINT=localhost:0 PET_RDZV_BACKEND=c10d
eval "$(documented "LD_PRELOAD=\$LIB torchrun")" >out 2>&1 || fail "torchrun: $(cat out)"
expect run.evt 'ops.row(name="aten::erf").calls == 14' 'len(processes.rows) == 3'
# both ranks made each collective, and who came first waited
expect run.evt 'nccl.row(backend="gloo", op="all_reduce").processes == 2' 'nccl.row(op="all_reduce").calls % 2 == 0' \
	'nccl.row(op="all_reduce").calls >= 14' '0 < nccl.row(op="all_reduce").wait_ns <= nccl.row(op="all_reduce").total_ns' \
	'nccl("--by", "rank").sum("calls") == nccl.totals.calls' '{row.rank for row in nccl("--by", "rank").rows} == {0, 1}'
