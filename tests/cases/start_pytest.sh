#!/bin/bash
# pytest as docs/STARTING.md starts it, and a script: what a test does is recorded.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_starting
cat >test_model.py <<'END'
import torch

def test_steps():
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(7):
        with torch.cuda.nvtx.range("inside"):
            model(torch.randn(4, 8)).erf().sum().backward()
        optimizer.step()
END
eval "$(documented "LD_PRELOAD=\$LIB pytest")" >out 2>&1 || fail "pytest: $(tail -5 out)"
grep -q '1 passed' out || fail "$(cat out)"
expect "$OUTPUT" 'ops.row(name="aten::erf").calls == 7' 'len(steps.rows) == 7' 'len(processes.rows) == 1' \
	'ops("--range", "inside").row(name="aten::erf").calls == 7'

printf 'import test_model\ntest_model.test_steps()\n' >train.py
rm run.evt
eval "$(documented "LD_PRELOAD=\$LIB python train.py")" >out 2>&1 || fail "python: $(tail -5 out)"
expect "$OUTPUT" 'ops.row(name="aten::erf").calls == 7'
