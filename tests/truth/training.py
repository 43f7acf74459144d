# SPDX-License-Identifier: MIT
"""What the programs of tests/truth have in common: a small training that is well.

Each program plants one cause into it. The head of a program gives what the report must find:

    # first: ID      the first advice that is no note; "none": there is no problem and no warning
    # also: ID ...   may be there, behind it
    # text: ...      what the advice has to say; there may be several of these lines
    # names: ID REGEX   an advice that has to be there, and what it says, as the numbers of ranks
    # line: FILE:LINE   of the first advice, where the recording has samples: the line of the program itself
    # module: NAME   the first row of prof-report modules
    # trace: ...     INTERCEPT_TRACE of the recording, where it is not TRACE of record.sh
    # step: NAME     INTERCEPT_STEP of the recording
    # stacks: ...    INTERCEPT_STACKS of the recording, where it is not the default
    # gpu: ...       it runs over the fake CUDA of tests/fake (gpu_training.py)
    # nvml: ...      what the fake NVML plays (tests/fake/nvml.c)

Programs about the memory of Python have no PyTorch in them (stepping.py): its import alone makes millions of blocks.
"""

import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch

torch.manual_seed(1)

STEPS = 24


def model(width=384, layers=3):
    parts = []
    for _ in range(layers):
        parts += [torch.nn.Linear(width, width), torch.nn.ReLU()]
    return torch.nn.Sequential(*parts, torch.nn.Linear(width, 8))


def optimizer(net, **options):
    return torch.optim.SGD(net.parameters(), lr=0.01, **{"foreach": True, **options})


def batch(rows=512, width=384):
    return torch.randn(rows, width), torch.randint(0, 8, (rows,))


def step(net, optim, data):
    inputs, labels = data
    optim.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(inputs), labels)
    loss.backward()
    optim.step()
    return loss.detach()


ended = 0  # when the last pause did


def pause(seconds):
    """So long, or as long as the rest took since the last: the same share on a slow machine."""
    global ended
    now = time.monotonic()
    took = max(seconds, now - ended) if ended else seconds
    ended = now + took
    return took


def train(before=None, after=None, steps=STEPS, net=None, optim=None, data=None):
    """before(number) and after(number, loss) are where a cause goes."""
    net = net or model()
    optim = optim or optimizer(net)
    data = data or batch()
    for number in range(steps):
        if before:
            before(number)
        loss = step(net, optim, data)
        if after:
            after(number, loss)
    return net
