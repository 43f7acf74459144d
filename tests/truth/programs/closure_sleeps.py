# SPDX-License-Identifier: MIT
# The closure waits: that is not the optimizer's.
# first: between_operators
# also: optimizer
import time

import torch
from training import batch, model

net = model()
optim = torch.optim.Adam(net.parameters(), foreach=False)
inputs, labels = batch()


def closure():
    optim.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    time.sleep(0.03)
    return loss.detach()


for _ in range(16):
    optim.step(closure)
