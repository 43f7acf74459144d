# SPDX-License-Identifier: MIT
"""usage: steps.py cpu|cuda BLOCKS PHASE...
What recording costs a launch-bound training step (17 layers, 9 of them linear, SGD with momentum; the learning rate is 0, so that no
number becomes denormal), and a loop of one small operator.

A PHASE is a list of ways, WAY,WAY...: blocks of STEPS steps in each of them in turn, BLOCKS times, so that a machine that gets slower
meanwhile does not decide. Prints a line "result {...}": for each work, phase and way the milliseconds a step (or the
microseconds an operator) of each block, with what the GPU did of it, and the CPU time of the process; `usage` has, summed over
the blocks, seconds in the kernel, page faults, and how often a thread waited.

bare        nothing is switched on: what is preloaded, or nothing
label       inside record_function("on"), for INTERCEPT_CAPTURE=label:on
empty       an operator callback that does nothing ($EMPTY_CALLBACK, empty_callback.c)
kernels     CUPTI's records of kernels, thrown away ($EMPTY_CUPTI, empty_cupti.c)
detached    kernels; after each block CUPTI leaves the process (cuptiFinalize)
client      all that intercept asks CUPTI for, thrown away
floors      empty and kernels together
profiler    torch.profiler
"""
import contextlib
import ctypes
import json
import os
import resource
import sys
import time

import torch

STEPS, WARM = 25, 30
OPERATORS, BURSTS = 500, 4  # then the GPU has room for all of a burst


def make_step(device):
    torch.manual_seed(0)
    layers = [layer for _ in range(8) for layer in (torch.nn.Linear(128, 128), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers, torch.nn.Linear(128, 10)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0., momentum=.9)
    x = torch.randn(64, 128).to(device)
    y = torch.randint(0, 10, (64,)).to(device)

    def step():
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return step


def make_operator(device):
    x = torch.zeros(1, device=device)
    return lambda: x.add_(1)


class EmptyCallback:
    def __init__(self):
        torch_cpu = ctypes.CDLL(os.path.join(torch.__path__[0], "lib", "libtorch_cpu.so"))
        self.adder = ctypes.cast(torch_cpu["_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE"], ctypes.c_void_p)
        self.remove = torch_cpu["_ZN2at14removeCallbackEm"]
        self.remove.argtypes = (ctypes.c_uint64,)
        self.add = ctypes.CDLL(os.environ["EMPTY_CALLBACK"]).empty_callback_add
        self.add.restype = ctypes.c_uint64

    @contextlib.contextmanager
    def __call__(self):
        handle = self.add(self.adder, 0, 0)
        try:
            yield
        finally:
            self.remove(handle)


class Cupti:
    """A client of CUPTI that is switched on and off."""

    library = None

    def __init__(self, everything, detaches=False):
        self.everything, self.detaches = everything, detaches
        Cupti.library = Cupti.library or ctypes.CDLL(os.environ["EMPTY_CUPTI"])

    def switch(self, on):
        if self.library.empty_cupti_switch(on, self.everything):
            sys.exit("steps.py: CUPTI refused")
        if self.detaches and not on and self.library.empty_cupti_detach():
            sys.exit("steps.py: CUPTI stays")

    @contextlib.contextmanager
    def __call__(self):
        self.switch(1)
        try:
            yield
        finally:
            self.switch(0)


def make_profiler(device):
    activity = torch.profiler.ProfilerActivity
    return lambda: torch.profiler.profile(
        activities=[activity.CPU, activity.CUDA] if device == "cuda" else [activity.CPU])


def make_floors():
    callback, cupti = EmptyCallback(), Cupti(0)

    @contextlib.contextmanager
    def both():
        with callback(), cupti():
            yield
    return both


WAYS = {"bare": lambda device: contextlib.nullcontext, "label": lambda device: lambda: torch.profiler.record_function("on"),
        "empty": lambda device: EmptyCallback(), "kernels": lambda device: Cupti(0), "client": lambda device: Cupti(1), "detached": lambda device: Cupti(0, True),
        "floors": lambda device: make_floors(), "profiler": make_profiler}


def measure(work, count, bursts, wait, way, warm, usage):
    """Seconds and seconds of CPU a time, of a block in that way; adds to `usage`."""
    with way():
        for _ in range(warm):
            work()
        wait()
        before = resource.getrusage(resource.RUSAGE_SELF)
        start, cpu = time.perf_counter(), time.process_time()
        for _ in range(bursts):
            for _ in range(count):
                work()
            wait()
        seconds = [taken / (bursts * count) for taken in (time.perf_counter() - start, time.process_time() - cpu)]
        after = resource.getrusage(resource.RUSAGE_SELF)
        for i, key in enumerate(("ru_stime", "ru_minflt", "ru_nvcsw")):
            usage[i] += getattr(after, key) - getattr(before, key)
        return seconds


def main():
    device, blocks, phases = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    torch.set_num_threads(1)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    works = {"step": (make_step(device), STEPS, 1, 2, 1e3, "ms"),
             "operator": (make_operator(device), OPERATORS, BURSTS, OPERATORS, 1e6, "us")}
    for step, *_ in works.values():
        for _ in range(WARM):
            step()
    result = {"device": torch.cuda.get_device_name() if device == "cuda" else "CPU", "torch": torch.__version__,
              "usage": {}}
    for phase in phases:
        ways = {word: WAYS[word](device) for word in phase.split(",")}
        for name, (work, count, bursts, warm, factor, unit) in works.items():
            wall, cpu = (result.setdefault(key, {}).setdefault(phase, {word: [] for word in ways})
                         for key in ("%s_%s" % (name, unit), "%s_cpu_%s" % (name, unit)))
            usage = result["usage"].setdefault(name, {}).setdefault(phase, {word: [0, 0, 0] for word in ways})
            for _ in range(blocks):
                for word, way in ways.items():
                    seconds = measure(work, count, bursts, wait, way, warm, usage[word])
                    wall[word].append(seconds[0] * factor)
                    cpu[word].append(seconds[1] * factor)
    print("result", json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
