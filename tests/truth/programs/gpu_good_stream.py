# SPDX-License-Identifier: MIT
# Each batch is copied on a second stream while the GPU computes the one before it.
# gpu: gemm=2000000,matmul=2000000,[copy]=5000000,*=20000
# first: none
import torch
from gpu_training import DEVICE, host_batch, train

data = host_batch()
side = torch.cuda.Stream()


def prefetch():
    with torch.cuda.stream(side):
        return tuple(part.to(DEVICE, non_blocking=True) for part in data)


following = prefetch()


def before(number):
    global following
    torch.cuda.current_stream().wait_stream(side)
    given, following = following, prefetch()
    return given


train(before=before)
