# SPDX-License-Identifier: MIT
# Each batch is copied on a second stream, but only when it is needed: kernels wait for the copy.
# gpu: gemm=300000,matmul=300000,[copy]=20000000,*=5000
# first: exposed_copies
import torch
from gpu_training import DEVICE, host_batch, train

data = host_batch()
side = torch.cuda.Stream()


def before(number):
    with torch.cuda.stream(side):
        given = tuple(part.to(DEVICE, non_blocking=True) for part in data)
    torch.cuda.current_stream().wait_stream(side)
    return given


train(before=before)
