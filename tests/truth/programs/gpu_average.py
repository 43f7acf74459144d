# SPDX-License-Identifier: MIT
# An average of the weights, one parameter after another: 160 of 255 launches of a step.
# gpu: gemm=20000,matmul=20000,*=3000
# first: launch_bound
import copy

import torch
from gpu_training import batch, model, train

net = model(width=256, layers=20)
average = copy.deepcopy(net)


def update(number, loss, decay=0.999):
    with torch.no_grad():
        for mean, weight in zip(average.parameters(), net.parameters()):
            mean.copy_(mean * decay + weight * (1 - decay))


train(after=update, net=net, steps=60)
