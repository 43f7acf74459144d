# SPDX-License-Identifier: MIT
# Nothing is wrong: forward and backward run in the optimizer's closure, as Lightning has it.
# first: none
import torch
from training import batch, model

net = model()
optim = torch.optim.Adam(net.parameters(), foreach=False)
inputs, labels = batch(8192)  # the optimizer has a few percent of 2048, near where it is spoken of


def closure():
    optim.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    return loss


for _ in range(16):
    optim.step(closure)
