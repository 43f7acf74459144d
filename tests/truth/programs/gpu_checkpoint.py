# SPDX-License-Identifier: MIT
# A checkpoint is written each 8 steps, to a slow place.
# gpu: gemm=500000,matmul=500000,*=10000
# first: slow_steps
# also: between_operators gpu_gaps synchronising
import io
import time

import torch
from gpu_training import model, train

net = model()


def after(number, loss):
    if number % 8 == 7:
        torch.save(net.state_dict(), io.BytesIO())
        time.sleep(0.2)


train(after=after, net=net, steps=48)
