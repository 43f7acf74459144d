# SPDX-License-Identifier: MIT
# A checkpoint each four steps: copies that wait for the GPU, and a file that is written.
# gpu: gemm=300000,matmul=300000,*=10000
# first: slow_steps
# also: synchronising between_operators
# line: gpu_saves.py:20
import os
import tempfile

import torch
from gpu_training import batch, model, train

net = model(width=768)
path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")


def after(number, loss):
    if number % 4 == 3:
        for part in range(3):
            torch.save(net.state_dict(), path)


train(after=after, net=net, data=batch(width=768), steps=48)
os.unlink(path)
os.rmdir(os.path.dirname(path))
