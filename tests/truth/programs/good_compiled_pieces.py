# SPDX-License-Identifier: MIT
# Nothing is wrong: functions compiled apart, and a graph break that costs next to nothing.
# first: none
import torch
from training import batch, model, optimizer

net = model()
optim = optimizer(net)
inputs, labels = batch(1024)


@torch.compile(backend="eager", dynamic=False)
def features_of(given):
    given = torch.relu(net[0](given))
    torch._dynamo.graph_break()
    return torch.relu(net[2](given))


@torch.compile(backend="eager", dynamic=False)
def loss_of(given):
    return torch.nn.functional.cross_entropy(net[6](torch.relu(net[4](given))), labels)


for number in range(24):
    optim.zero_grad()
    loss_of(features_of(inputs)).backward()
    optim.step()
