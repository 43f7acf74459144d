# SPDX-License-Identifier: MIT
# Gradients are set to zero one by one, with many small parameters.
# first: zero_grad
# also: optimizer small_operators between_operators
import torch
from training import step

net = torch.nn.Sequential(*[torch.nn.Linear(16, 16) for _ in range(40)], torch.nn.Linear(16, 8))
optim = torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)
real = optim.zero_grad
optim.zero_grad = lambda: [real(set_to_none=False) for _ in range(20)]
data = torch.randn(4, 16), torch.randint(0, 8, (4,))
for _ in range(12):
    step(net, optim, data)
