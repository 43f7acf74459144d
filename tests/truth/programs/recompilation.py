# SPDX-License-Identifier: MIT
# Sizes change, and torch.compile compiles again for each.
# first: recompilations
# also: between_operators first_step
import torch
from training import model, optimizer

net = model(64, 2)
optim = optimizer(net)


@torch.compile(backend="eager", dynamic=False)
def loss_of(inputs):
    return net(inputs).sum()


for number in range(24):
    optim.zero_grad()
    loss_of(torch.randn(4 + number // 4, 64)).backward()
    optim.step()
