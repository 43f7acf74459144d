# SPDX-License-Identifier: MIT
# first: none
import torch
from training import optimizer

net = torch.nn.TransformerEncoderLayer(256, 4, 512, batch_first=True)
optim = optimizer(net)
inputs = torch.randn(16, 64, 256)
for _ in range(16):
    optim.zero_grad()
    net(inputs).square().mean().backward()
    optim.step()
