#!/bin/bash
# Small tensors that stay have their line in the advice, unasked; graphs of autograd that stay are named, though their tensors are freed.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export PYTHONPATH=$ROOT/tests/truth:$ROOT/tests/torch/eager

grows() { # ID LINE; the program stands on stdin
	cat >grow.py
	rm -f ./*.evt
	run_traced "$PYTHON" grow.py || fail "$1: the program ended with $?"
	"$REPORT" bottleneck --format json "$OUTPUT" | python3 -S -c '
import json, sys
wanted, line = sys.argv[1:]
rows = {row["id"]: row for row in json.load(sys.stdin)["rows"] if row["id"].endswith("growth")}
if list(rows) != [wanted] or (rows[wanted]["line"] or "")[-len(line):] != line:
    sys.exit("not only %s, %s: %s" % (wanted, line, rows))' "$1" "$2" || fail "$1"
}

# 16 KiB a step: less than what INTERCEPT_STACKS=large asks of blocks of the heap
grows tensor_growth grow.py:11 <<'END'
import torch
from training import batch, model, optimizer
net = model(64)
optim = optimizer(net)
inputs, labels = batch(512, 64)
kept = []
for number in range(160):
    optim.zero_grad()
    outputs = net(inputs)
    torch.nn.functional.cross_entropy(outputs, labels).backward()
    kept.append(outputs.detach().clone())
    optim.step()
END
# what the first screen has room for depends on how fast the machine is
expect_match "the advice" "$("$REPORT" bottleneck "$OUTPUT" | tr -s '\n ' ' ')" 'tensor_growth \(warning\).* 16\.0 KiB a step'

grows graph_growth '' <<'END'
import torch
from training import batch, model, optimizer
net = model(64, 6)
optim = optimizer(net)
inputs, labels = batch(64, 64)
average = 0
for number in range(160):
    optim.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    optim.step()
    average = 0.9 * average + 0.1 * loss
END
expect_match "the advice" "$("$REPORT" bottleneck "$OUTPUT" | tr -s '\n ' ' ')" 'Something holds on to the graphs of earlier steps'
