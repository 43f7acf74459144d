# SPDX-License-Identifier: MIT
# Training loops for tests/cases/steps_*.sh: steps.py KIND SCHEDULE. What torch.profiler saw of each step is
# written to seen.json: {"step number": {"operator": times}}.
import collections
import contextlib
import json
import os
import sys
import threading

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

torch.manual_seed(1)
STEPS = 12
seen = {}


def net():
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))


model = net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn(4 * STEPS, 8), torch.randint(0, 2, (4 * STEPS,)))


def train(batch, number, backward_elsewhere=False):
    x, y = batch
    optimizer.zero_grad()
    with record_function("forward"):
        loss = torch.nn.functional.cross_entropy(model(x), y)
    for _ in range(number % 3):  # so that no step is like its neighbours
        loss = loss * 1.0
    if backward_elsewhere:  # torch.profiler sees nothing of it
        backward = threading.Thread(target=loss.backward)
        backward.start()
        backward.join()
    else:
        loss.backward()
    optimizer.step()


def counts(events):
    return dict(collections.Counter(e.name for e in events))


def events_by_end(events, ends):
    """Those that begin before the first end, the second, ..."""
    windows = [[] for _ in ends]
    for e in events:
        for window, end in zip(windows, ends):
            if e.time_range.start < end:
                window.append(e)
                break
    return windows


def profiler(text):
    """torch.profiler's own schedule and steps."""
    numbers = {k: int(v) for k, v in (part.split("=") for part in text.split(","))}

    def ready(p):
        marks = [e.time_range for e in p.events() if e.name.startswith("ProfilerStep")]
        marks.sort(key=lambda mark: mark.start)
        for number, mark in enumerate(marks, p.step_num - len(marks)):
            seen[number] = counts(e for e in p.events() if mark.start <= e.time_range.start < mark.end)

    numbers = {"wait": 0, "warmup": 0, **numbers}
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(**numbers), on_trace_ready=ready) as p:
        for number, batch in enumerate(torch.utils.data.DataLoader(data, batch_size=4)):
            train(batch, number)
            p.step()


def loop(wrap, ended_by, per_step=train):
    """torch.profiler sees all; its events are told apart by what ends a step."""
    with profile(activities=[ProfilerActivity.CPU]) as p:
        for number, batch in enumerate(torch.utils.data.DataLoader(data, batch_size=4)):
            with wrap(number):
                per_step(batch, number)
    ends = sorted(e.time_range.end for e in p.events() if e.name.startswith(ended_by))
    for number, window in enumerate(events_by_end(p.events(), ends)):
        seen[number] = counts(window)


def optimizer_ends(text):
    loop(lambda number: contextlib.nullcontext(), "Optimizer.step#")


def scope_ends(text):
    loop(lambda number: record_function("iteration %d" % number), "iteration ")


def gan(text):
    """Two optimizers in turn: two steps an iteration."""
    other = net()
    other_optimizer = torch.optim.Adam(other.parameters())

    def both(batch, number):
        train(batch, number)
        other_optimizer.zero_grad()
        torch.nn.functional.cross_entropy(other(batch[0]), batch[1]).backward()
        other_optimizer.step()

    loop(lambda number: contextlib.nullcontext(), "Optimizer.step#", both)


def nvtx(text):
    for number, batch in enumerate(torch.utils.data.DataLoader(data, batch_size=4)):
        torch.cuda.nvtx.range_push("iteration %d" % number)
        train(batch, number, backward_elsewhere=True)
        torch.cuda.nvtx.range_pop()


def workers(text):
    """While a step is done, one worker makes the batch of the next one, and no other."""
    loader = torch.utils.data.DataLoader(data, batch_size=4, num_workers=1, prefetch_factor=1)
    for number, batch in enumerate(loader):
        train(batch, number)


def ranks(text):
    """Two forked processes, and the one that forked them, train one after another."""
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            train(next(iter(torch.utils.data.DataLoader(data, batch_size=4))), 0)
            for number in range(1, STEPS):
                train((data.tensors[0][:4], data.tensors[1][:4]), number)
            os._exit(0)
        os.waitpid(pid, 0)
    optimizer_ends(text)


globals()[sys.argv[1]](sys.argv[2])
json.dump(seen, open("seen.json", "w"))
