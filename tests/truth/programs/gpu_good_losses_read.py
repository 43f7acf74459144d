# SPDX-License-Identifier: MIT
# The loss is read every four steps: the host waits then, but the GPU has been busy all the time.
# gpu: gemm=2000000,matmul=2000000,*=20000
# first: none
from gpu_training import train


def after(number, loss):
    if number % 4 == 3:
        loss.item()


train(after=after, steps=32)
