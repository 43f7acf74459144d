# SPDX-License-Identifier: MIT
# Scopes of the user's around the parts of a step.
# first: none
import torch
from training import batch, model, optimizer

net = model()
optim = optimizer(net)
inputs, labels = batch(2048)
for _ in range(12):
    optim.zero_grad()
    with torch.profiler.record_function("forward"):
        loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    with torch.profiler.record_function("backward"):
        loss.backward()
    with torch.profiler.record_function("optimizer"):
        optim.step()
