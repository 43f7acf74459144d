#!/bin/bash
# accelerate as docs/STARTING.md starts it: launcher and training are recorded.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_starting
cat >train.py <<'END'
import torch
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer = accelerator.prepare(model, optimizer)
for _ in range(7):
    optimizer.zero_grad()
    accelerator.backward(model(torch.randn(4, 8)).erf().sum())
    optimizer.step()
END
export HF_HOME=$PWD/cache
eval "$(documented "LD_PRELOAD=\$LIB accelerate")" >out 2>&1 || fail "accelerate: $(tail -5 out)"
expect run.evt 'ops.row(name="aten::erf").calls == 7' 'len(processes.rows) == 2' 'len(steps.rows) == 7'
