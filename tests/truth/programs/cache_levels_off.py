# SPDX-License-Identifier: MIT
# Nothing is wrong: a cache fills and keeps its size.
# first: none
# trace: -alloc
import torch
from training import train

cache = {}


def after(number, loss):
    cache[number % 8] = torch.zeros(5000)


train(after=after, steps=48)
