# SPDX-License-Identifier: MIT
# Each sample of a batch is moved to the GPU by itself.
# gpu: gemm=100000,matmul=100000,*=5000
# first: small_copies
# line: gpu_small_copies.py:14
import torch
from gpu_training import DEVICE, STEPS, batch, train

samples = [torch.rand(256) for _ in range(256)]
labels = batch()[1]


def before(number):
    return torch.stack([sample.to(DEVICE) for sample in samples]), labels


train(before=before, steps=2 * STEPS)
