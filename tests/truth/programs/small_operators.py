# SPDX-License-Identifier: MIT
# Hundreds of operators a step on one number each.
# first: small_operators
# also: slow_steps
import torch

value = torch.zeros(1)
net = torch.nn.Linear(1, 1)
optim = torch.optim.SGD(net.parameters(), lr=0.01)
for number in range(16):
    optim.zero_grad()
    with torch.no_grad():
        for _ in range(800):
            value.detach()
            value.view(1)
    net(value).sum().backward()
    optim.step()
