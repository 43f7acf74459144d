# SPDX-License-Identifier: MIT
# Nothing is wrong: torch.compile compiles once, in the first step.
# first: none
import torch
from training import batch, model, optimizer

net = model()
optim = optimizer(net)
inputs, labels = batch(1024)


@torch.compile(backend="eager", dynamic=False)
def loss_of(given):
    return torch.nn.functional.cross_entropy(net(given), labels)


for number in range(24):
    optim.zero_grad()
    loss_of(inputs).backward()
    optim.step()
