# SPDX-License-Identifier: MIT
# 400 tiny kernels a step.
# gpu: *=1000
# first: launch_bound
import torch
from gpu_training import batch, train

rows = batch(64)[0]
small = [row.clone() for row in rows]


def before(number):
    for _ in range(7):
        for row in small:
            row.add_(1)


train(before=before, steps=24)
