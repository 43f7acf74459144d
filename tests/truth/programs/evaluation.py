# SPDX-License-Identifier: MIT
# An evaluation of 30 batches each 8 steps.
# first: slow_steps
# text: record no gradients
import torch
from training import batch, model, optimizer, train

net = model()
data = batch()


def after(number, loss):
    if number % 8 == 7:
        with torch.no_grad():
            for _ in range(60):
                net(data[0])


train(after=after, net=net, optim=optimizer(net), data=data, steps=48)
