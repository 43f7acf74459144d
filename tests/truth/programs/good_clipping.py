# SPDX-License-Identifier: MIT
# Gradients are clipped.
# first: none
import torch
from training import batch, model, optimizer

net = model()
optim = optimizer(net)
inputs, labels = batch(2048)
for _ in range(12):
    optim.zero_grad()
    torch.nn.functional.cross_entropy(net(inputs), labels).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optim.step()
