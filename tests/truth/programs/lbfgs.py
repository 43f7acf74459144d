# SPDX-License-Identifier: MIT
# Nothing is wrong: LBFGS calls its closure many times a step.
# first: none
import torch
from training import batch, model

net = model(layers=2)
optim = torch.optim.LBFGS(net.parameters(), max_iter=6)
inputs, labels = batch(2048)


def closure():
    optim.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    return loss


for _ in range(12):
    optim.step(closure)
