# SPDX-License-Identifier: MIT
# Losses are kept with all that their graphs hold.
# first: tensor_growth
# trace: -alloc
import torch
from training import batch, model, optimizer

net = model(64)
optim = optimizer(net)
inputs, labels = batch(2048, 64)
kept = []
for _ in range(40):
    optim.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    loss.backward(retain_graph=True)
    kept.append(loss)
    optim.step()
