# SPDX-License-Identifier: MIT
# Data comes from numpy in float64, and is made float32 before the loop.
# trace: -alloc,-tensors,+shapes
# first: none
import numpy
import torch
from training import train

inputs = torch.from_numpy(numpy.random.default_rng(1).normal(size=(512, 384))).float()
train(data=(inputs, torch.randint(0, 8, (512,))))
