# SPDX-License-Identifier: MIT
# A checkpoint is written each 8 steps, to a slow place, in a scope of the user's.
# first: slow_steps
# also: between_operators
# text: mostly in 'save'
import io
import time

import torch
from training import model, optimizer, train

net = model()


def after(number, loss):
    if number % 8 == 7:
        with torch.profiler.record_function("save"):
            torch.save(net.state_dict(), io.BytesIO())
            time.sleep(0.2)


train(after=after, net=net, optim=optimizer(net), steps=48)
