# SPDX-License-Identifier: MIT
"""phases.py: small trainings of several kinds, each in a fork of its own; prints NAME PROCESS for each."""

import os

import torch

INPUTS, LABELS = torch.randn(64, 32), torch.randint(0, 4, (64,))


def net():
    return torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))


def loss_of(model):
    return torch.nn.functional.cross_entropy(model(INPUTS), LABELS)


def accumulation():
    model = net()
    optim = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        optim.zero_grad()
        for _ in range(4):
            loss_of(model).backward()
        optim.step()


def closure():
    model = net()
    optim = torch.optim.LBFGS(model.parameters(), max_iter=4)

    def again():
        optim.zero_grad()
        loss = loss_of(model)
        loss.backward()
        return loss

    for _ in range(6):
        optim.step(again)


def adversaries():
    maker, judge = torch.nn.Linear(8, 32), torch.nn.Linear(32, 1)
    of_maker, of_judge = (torch.optim.Adam(part.parameters()) for part in (maker, judge))
    for _ in range(6):
        made = maker(torch.randn(64, 8))
        of_judge.zero_grad()
        (judge(made.detach()).mean() - judge(INPUTS).mean()).backward()
        of_judge.step()
        of_maker.zero_grad()
        (-judge(made).mean()).backward()
        of_maker.step()


def checkpointing():
    from torch.utils.checkpoint import checkpoint

    model = net()
    optim = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        optim.zero_grad()
        torch.nn.functional.cross_entropy(checkpoint(model, INPUTS, use_reentrant=False), LABELS).backward()
        optim.step()


def stages():
    """Two stages, four micro-batches: all forward passes, then all backward passes."""
    first, second = torch.nn.Linear(32, 64), torch.nn.Linear(64, 4)
    optim = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    for _ in range(6):
        optim.zero_grad()
        losses = []
        for inputs, labels in zip(INPUTS.chunk(4), LABELS.chunk(4)):
            losses.append(torch.nn.functional.cross_entropy(second(torch.relu(first(inputs))), labels))
        for loss in losses:
            loss.backward()
        optim.step()


def validation():
    model = net()
    optim = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(6):
        optim.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optim.step()
        loss.detach()
        with torch.no_grad():
            for _ in range(8):
                model(INPUTS).argmax(1)


def inference():
    model = net().eval()
    with torch.inference_mode():
        for _ in range(6):
            with torch.profiler.record_function("request"):
                model(INPUTS).argmax(1).tolist()


for kind in (accumulation, closure, adversaries, checkpointing, stages, validation, inference):
    process = os.fork()
    if not process:
        kind()
        os._exit(0)
    if os.waitpid(process, 0)[1]:
        raise SystemExit("%s failed" % kind.__name__)
    print(kind.__name__, process, flush=True)
