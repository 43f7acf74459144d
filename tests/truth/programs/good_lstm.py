# SPDX-License-Identifier: MIT
# first: none
import torch
from training import optimizer

net = torch.nn.LSTM(128, 256, batch_first=True)
optim = optimizer(net)
inputs = torch.randn(64, 32, 128)
for _ in range(12):
    optim.zero_grad()
    net(inputs)[0].square().mean().backward()
    optim.step()
