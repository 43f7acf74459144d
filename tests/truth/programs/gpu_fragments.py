# SPDX-License-Identifier: MIT
# Batches have ever new sizes, so that what earlier ones have left is free and too small.
# gpu: gemm=3000000,matmul=3000000,*=5000
# trace: -alloc,-imports
# first: none
# text: in smaller pieces
import torch
from gpu_training import DEVICE, train


def after(number, loss):
    torch.empty((12 + 2 * number) << 20, dtype=torch.uint8, device=DEVICE)


train(after=after)
