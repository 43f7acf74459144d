# SPDX-License-Identifier: MIT
# The loop sleeps for 30 ms between steps, and the GPU has nothing to do.
# gpu: gemm=500000,matmul=500000,*=5000
# first: between_operators
# also: synchronising
# text: The thread was waiting there
import time

from gpu_training import train


def after(number, loss):
    loss.item()
    time.sleep(0.03)


train(after=after)
