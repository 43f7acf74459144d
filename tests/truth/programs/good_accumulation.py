# SPDX-License-Identifier: MIT
# Gradients of four batches are added up.
# first: none
import torch
from training import batch, model, optimizer

net = model()
optim = optimizer(net)
inputs, labels = batch()
for _ in range(12):
    optim.zero_grad()
    for _ in range(4):
        torch.nn.functional.cross_entropy(net(inputs), labels).backward()
    optim.step()
