# SPDX-License-Identifier: MIT
"""A small training on a GPU that is well, for the programs gpu_*.py: it keeps the GPU busy, and the host ahead of it.

The GPU is the fake one of tests/fake. How long its kernels take is given in the head of a program:

    # gpu: KERNELS [NAME=VALUE ...]   FAKE_CUDA_KERNELS, and other variables of the fake (tests/fake/core.h, device.h)

so that what share of a step is whose does not depend on the machine that it is recorded on, as long as it is quiet.
"""

import training  # the environment
import torch

STEPS = 24
DEVICE = "cuda"


def model(width=256, layers=4):
    return training.model(width, layers).to(DEVICE)


def optimizer(net):
    return torch.optim.SGD(net.parameters(), lr=0.01, foreach=True)


def host_batch(rows=256, width=256, pinned=True):
    inputs, labels = training.batch(rows, width)
    return (inputs.pin_memory(), labels.pin_memory()) if pinned else (inputs, labels)


def batch(rows=256, width=256):
    return tuple(part.to(DEVICE) for part in training.batch(rows, width))


def train(before=None, after=None, data=None, steps=STEPS, net=None):
    """before(number) may give the step's batch; after(number, loss) comes behind the optimizer's step."""
    net = net or model()
    optim = optimizer(net)
    data = data or batch()
    for number in range(steps):
        given = before(number) if before else None
        loss = training.step(net, optim, given or data)
        if after:
            after(number, loss)
    torch.cuda.synchronize()
    return net
