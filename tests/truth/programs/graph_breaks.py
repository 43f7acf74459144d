# SPDX-License-Identifier: MIT
# torch.compile stops three times in a function, for work that it cannot follow.
# first: graph_breaks
import json

import torch
from training import batch, model, optimizer

net = model()
optim = optimizer(net)
inputs, labels = batch(1024)
text = json.dumps({str(number): list(range(50)) for number in range(2000)})


@torch.compile(backend="eager", dynamic=False)
def loss_of(given):
    given = torch.relu(net[0](given))
    json.loads(text)
    given = torch.relu(net[2](given))
    json.loads(text)
    given = torch.relu(net[4](given))
    json.loads(text)
    return torch.nn.functional.cross_entropy(net[6](given), labels)


for number in range(24):
    optim.zero_grad()
    loss_of(inputs).backward()
    optim.step()
