# SPDX-License-Identifier: MIT
# A moving average of the weights, on all of them at once.
# first: none
import torch
from training import batch, model, optimizer, train

net = model()
averages = [p.detach().clone() for p in net.parameters()]


def after(number, loss):
    with torch.no_grad():
        torch._foreach_lerp_(averages, list(net.parameters()), 0.01)


train(after=after, net=net, optim=optimizer(net), data=batch(2048))
