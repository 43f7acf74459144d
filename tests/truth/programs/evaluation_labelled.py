# SPDX-License-Identifier: MIT
# An evaluation each 8 steps, in a scope of the user's.
# first: slow_steps
# text: mostly in 'validation'
import torch
from training import batch, model, optimizer, train

net = model()
data = batch()


def after(number, loss):
    if number % 8 == 7:
        with torch.no_grad(), torch.profiler.record_function("validation"):
            for _ in range(60):
                net(data[0])


train(after=after, net=net, optim=optimizer(net), data=data, steps=48)
