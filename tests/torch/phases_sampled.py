# SPDX-License-Identifier: MIT
"""phases_sampled.py KIND: a training whose phases sleep, each for its own time; prints milliseconds of each in all steps.

The loop, autograd and the optimizer run operators, too, of which hardly one is recorded."""

import sys
import time

import torch

STEPS = 6
SLEEPS = {"forward": 20, "backward": 30, "optimizer": 10, "rest": 40}
slept = dict.fromkeys(SLEEPS, 0)


def sleep(phase):
    slept[phase] += SLEEPS[phase]
    time.sleep(SLEEPS[phase] / 1000)


class Slow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(32, 4)

    def forward(self, inputs):
        outputs = self.inner(inputs).relu()
        if outputs.requires_grad:
            sleep("forward")
            outputs.register_hook(lambda grad: sleep("backward"))
        else:
            sleep("rest")
        return outputs


class SlowStep(torch.optim.SGD):
    def step(self, closure=None):
        sleep("optimizer")
        return super().step(closure)


model, inputs = Slow(), torch.randn(16, 32)


def usual(optimizer):
    optimizer.zero_grad()
    loss = model(inputs).sum()
    loss.backward()
    sleep("rest")
    optimizer.step()
    with torch.no_grad():
        model(inputs).sum().item()


def grads(optimizer):
    """Two passes over one graph, without backward(), and one that fails."""
    optimizer.zero_grad()
    loss = model(inputs).sum()
    weights = list(model.parameters())
    torch.autograd.grad(loss, weights, retain_graph=True)
    sleep("rest")
    for weight, grad in zip(weights, torch.autograd.grad(loss, weights)):
        weight.grad = grad
    try:
        loss.backward()
    except RuntimeError:
        sleep("rest")
    optimizer.step()


def closure(optimizer):
    def again():
        optimizer.zero_grad()
        loss = model(inputs).sum()
        loss.backward()
        return loss

    optimizer.step(again)


kind = {"usual": usual, "grads": grads, "closure": closure}[sys.argv[1]]
optimizer = SlowStep(model.parameters(), lr=0.01)
for step in range(STEPS + 1):
    kind(optimizer)
    if not step:  # what came before the end of the first step may be in none
        slept = dict.fromkeys(SLEEPS, 0)
print(*(f"{phase} {ms}" for phase, ms in slept.items()), sep="\n")
