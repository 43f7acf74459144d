# SPDX-License-Identifier: MIT
# The outputs of each step are kept, as for a metric that is computed at the end.
# first: tensor_growth
# trace: -alloc
# step: step
# line: tensor_lines.py:19
import torch
from stepping import steps

torch.set_num_threads(1)
torch.manual_seed(1)
weights = torch.randn(256, 256)
inputs = torch.randn(512, 256)
outputs = []


def evaluate():
    hidden = torch.relu(inputs @ weights)
    outputs.append(hidden * 2)


for number in steps():
    evaluate()
