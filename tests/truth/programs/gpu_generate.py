# SPDX-License-Identifier: MIT
# A small model generates one token at a time: no steps, and a launch for each small kernel.
# gpu: *=2000
# trace: -alloc,-tensors,-imports,-torch
# first: launch_bound
import torch
from gpu_training import DEVICE, model

net = model(width=64, layers=24).eval()


@torch.no_grad()
def generate(row, tokens):
    for _ in range(tokens):
        row = torch.relu(net(row)[:, :1] + row)
    return row.cpu()


for _ in range(100):
    generate(torch.ones(1, 64).to(DEVICE), 20)
