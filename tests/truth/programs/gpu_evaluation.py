# SPDX-License-Identifier: MIT
# An evaluation of 40 batches each 8 steps; its accuracy is read at the end.
# gpu: gemm=500000,matmul=500000,*=10000
# first: slow_steps
# text: record no gradients
import torch
from gpu_training import batch, model, train

net = model()
inputs, labels = batch()


def after(number, loss):
    if number % 8 == 7:
        with torch.no_grad():
            hits = sum((net(inputs).argmax(1) == labels).sum() for _ in range(40))
        hits.item()


train(after=after, net=net, steps=48)
