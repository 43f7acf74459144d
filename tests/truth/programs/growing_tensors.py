# SPDX-License-Identifier: MIT
# Tensors of each step are kept.
# first: tensor_growth
# trace: -alloc
import torch
from training import train

kept = []
train(after=lambda number, loss: kept.append(torch.zeros(5000)), steps=48)
