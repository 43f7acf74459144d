# SPDX-License-Identifier: MIT
# first: none
import torch
from training import optimizer, step

net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Conv2d(16, 16, 3), torch.nn.Flatten(), torch.nn.LazyLinear(8)
)
data = torch.randn(64, 3, 24, 24), torch.randint(0, 8, (64,))
net(data[0])
optim = optimizer(net)
for _ in range(16):
    step(net, optim, data)
