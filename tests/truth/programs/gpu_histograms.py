# SPDX-License-Identifier: MIT
# Histograms of all weights in each step, on the CPU: long ones of matrices, short ones of biases.
# gpu: gemm=200000,matmul=200000,*=10000
# first: between_operators
# also: synchronising item
# line: gpu_histograms.py:14
import numpy
from gpu_training import batch, model, train

net = model(width=512)


def log(number, loss):
    return [numpy.histogram(part.detach().cpu().numpy(), bins=64) for part in net.parameters()]


train(after=log, net=net, data=batch(width=512), steps=40)
