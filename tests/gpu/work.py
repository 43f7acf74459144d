# SPDX-License-Identifier: MIT
"""work.py RESULT WORK:COUNT... [--profiled] [--apart] [--values-mean-nothing]

Does one thing after the other on the GPU, each COUNT times, inside an NVTX range "measured WORK" of the process, after a warm-up:
elementwise, cublas, triton, graph (COUNT replays of three kernels), launches, more (launches again), steps (of five kernels, each in
a range "step"), workers (batches of a DataLoader with two of them), memory (blocks that PyTorch has to ask CUDA for), killed (as elementwise, then kill -9
after two seconds). RESULT.WORK.json gets what is known of it: kernels (how many there have to be), nanoseconds a time, value (a
result that is right), the process' memory. --profiled has torch.profiler look at just that and writes RESULT.WORK.trace.json and
RESULT.WORK.ops.json (profiled.py). What cannot be done here is left out, with its reason in RESULT.WORK.missing.
--apart: all works are made first; each is then in a range of cudaProfilerStart() with so much work and time behind it that CUPTI is
detached in between (INTERCEPT_CAPTURE=cuda-profiler-api).
--values-mean-nothing: over a fake CUDA, which computes nothing.
"""
import argparse
import json
import os
import resource
import signal
import time

import torch
from torch.cuda import nvtx

from profiled import profiled

WARM = 3


class Elementwise:
    """One kernel a time."""

    kernels = 1

    def __init__(self):
        self.x = torch.zeros(1, device="cuda")

    def __call__(self, count):
        x = self.x
        for _ in range(count):
            x.add_(1)

    def is_right(self, count):
        return self.x.item() == WARM + count


class Cublas:
    """A product of matrices of ones: its library chooses the kernels."""

    kernels = None

    def __init__(self):
        self.a = torch.ones(64, 64, device="cuda")

    def __call__(self, count):
        for _ in range(count):
            self.product = self.a @ self.a

    def is_right(self, count):
        return bool((self.product == 64).all())


class Triton(Elementwise):
    def __init__(self):
        import triton_kernel
        super().__init__()
        self.add = triton_kernel.add_one

    def __call__(self, count):
        for _ in range(count):
            self.add[(1,)](self.x)


class Graph(Elementwise):
    kernels = 3

    def __init__(self):
        super().__init__()
        self.graph = torch.cuda.CUDAGraph()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            self.x.add_(0)
        torch.cuda.synchronize()
        with torch.cuda.graph(self.graph):
            for _ in range(self.kernels):
                self.x.add_(1)

    def __call__(self, count):
        for _ in range(count):
            self.graph.replay()

    def is_right(self, count):
        return self.x.item() == self.kernels * (WARM + count)


class Workers(Elementwise):
    def __init__(self):
        super().__init__()
        from torch.utils.data import DataLoader, TensorDataset

        data = TensorDataset(torch.ones(1 << 20, dtype=torch.float32))
        self.loader = DataLoader(data, batch_size=16, num_workers=2, persistent_workers=True)

    def __call__(self, count):
        for _, (batch,) in zip(range(count), self.loader):
            self.x.add_(batch.to("cuda")[:1])


class Steps(Elementwise):
    """Steps of five kernels each, by ranges; every eighth waits."""

    kernels = 5

    def __call__(self, count):
        for step in range(count):
            nvtx.range_push("step")
            for _ in range(self.kernels):
                self.x.add_(1)
            if step % 8 == 7:
                torch.cuda.synchronize()
            nvtx.range_pop()

    def is_right(self, count):
        return self.x.item() == self.kernels * (WARM + count)


class Memory(Elementwise):
    """Tensors that are held, each larger than what PyTorch's allocator still has."""

    kernels = None

    def __init__(self):
        super().__init__()
        self.held = []

    def __call__(self, count):
        for i in range(count):
            self.held.append(torch.empty((21 + i) << 20, dtype=torch.uint8, device="cuda"))

    def is_right(self, count):
        del self.held[count // 2:]
        torch.cuda.empty_cache()
        return True


WORKS = {"elementwise": Elementwise, "cublas": Cublas, "triton": Triton, "graph": Graph, "launches": Elementwise,
         "more": Elementwise, "steps": Steps, "workers": Workers, "memory": Memory, "killed": Elementwise}


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("result")
    parser.add_argument("works", nargs="+", metavar="WORK:COUNT")
    parser.add_argument("--profiled", action="store_true")
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--values-mean-nothing", action="store_true")
    return parser.parse_args()


def measure(name, work, count):
    """Nanoseconds a time on the host, without the wait at the end."""
    measured = nvtx.range_start("measured " + name)
    start = time.perf_counter_ns()
    work(count)
    taken = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    nvtx.range_end(measured)
    return taken / count


def make(options, name):
    """None: it cannot be done here."""
    try:
        work = WORKS[name]()
    except ImportError as error:
        with open("%s.%s.missing" % (options.result, name), "w") as file:
            print("no module for it: %s" % error, file=file)
        return None
    work(WARM)
    torch.cuda.synchronize()
    return work


def do(options, name, work, count):
    path = "%s.%s" % (options.result, name)
    with profiled(path if options.profiled else None, "cuda"):
        ns = measure(name, work, count)
    result = {"work": name, "count": count, "ns": ns, "kernels": work.kernels and work.kernels * count,
              "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
              "value": work.is_right(count) or options.values_mean_nothing}
    stats = torch.cuda.memory_stats()
    result["reserved_bytes"] = stats["reserved_bytes.all.peak"]
    result["segments"], result["held_segments"] = (stats["segment.all." + what] for what in ("allocated", "current"))
    with open(path + ".json", "w") as file:
        json.dump(result, file)


def aside(x):
    """Launches, a pause and launches again, after which CUPTI is detached."""
    for count, seconds in ((4000, 3), (1000, 0)):
        for _ in range(count):
            x.add_(1)
        torch.cuda.synchronize()
        time.sleep(seconds)


def do_apart(options):
    works = [(name, make(options, name), int(count)) for name, count in (word.split(":") for word in options.works)]
    x = torch.zeros(1, device="cuda")
    for name, work, count in works:
        torch.cuda.profiler.start()
        do(options, name, work, count)
        torch.cuda.profiler.stop()
        aside(x)


def main():
    options = parse()
    torch.set_num_threads(1)
    torch.backends.cudnn.enabled = False
    if options.apart:
        return do_apart(options)
    for word in options.works:
        name, count = word.split(":")
        work = make(options, name)
        if work:
            do(options, name, work, int(count))
        if name == "killed":
            time.sleep(2.5)  # CUPTI hands out full buffers once a second
            os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
