# SPDX-License-Identifier: MIT
# A checkpoint is written each 8 steps, to a slow place.
# first: slow_steps
# also: between_operators
import io
import time

import torch
from training import model, optimizer, train

net = model()


def after(number, loss):
    if number % 8 == 7:
        torch.save(net.state_dict(), io.BytesIO())
        time.sleep(0.2)


train(after=after, net=net, optim=optimizer(net), steps=48)
