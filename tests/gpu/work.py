# SPDX-License-Identifier: MIT
"""work.py RESULT.json WORK [--count N] [--trace TRACE.json] [--values-mean-nothing]

Does one thing on the GPU, N times, inside the NVTX range "measured" of the process, after a warm-up: elementwise, cublas,
triton, graph (N replays of three kernels), launches, workers (batches of a DataLoader with two of them), memory
(blocks that PyTorch has to ask CUDA for), killed (as elementwise, then kill -9 after two seconds). --trace has torch.profiler look at just that. RESULT.json gets what
is known of it: kernels (how many there have to be), nanoseconds a time, value (a result that is right).
--values-mean-nothing: over a fake CUDA, which computes nothing.
"""
import argparse
import contextlib
import json
import os
import resource
import signal
import sys
import time

import torch
from torch.cuda import nvtx

WARM = 3
UNAVAILABLE = 77


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
        try:
            import triton_kernel
        except ImportError as error:
            print("no Triton: %s" % error)
            sys.exit(UNAVAILABLE)
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
        self.kernels = 1

    def __call__(self, count):
        for _, (batch,) in zip(range(count), self.loader):
            self.x.add_(batch.to("cuda")[:1])


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
         "workers": Workers, "memory": Memory, "killed": Elementwise}


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("result")
    parser.add_argument("work", choices=WORKS)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--trace")
    parser.add_argument("--values-mean-nothing", action="store_true")
    return parser.parse_args()


@contextlib.contextmanager
def profiled(path):
    if not path:
        yield
        return
    activity = torch.profiler.ProfilerActivity
    with torch.profiler.profile(activities=[activity.CPU, activity.CUDA]) as profile:
        yield
        torch.cuda.synchronize()
    profile.export_chrome_trace(path)


def measure(work, count):
    """Nanoseconds a time on the host, without the wait at the end."""
    measured = nvtx.range_start("measured")
    start = time.perf_counter_ns()
    work(count)
    taken = time.perf_counter_ns() - start
    torch.cuda.synchronize()
    nvtx.range_end(measured)
    return taken / count


def main():
    options = parse()
    torch.set_num_threads(1)
    torch.backends.cudnn.enabled = False
    work = WORKS[options.work]()
    work(WARM)
    torch.cuda.synchronize()
    with profiled(options.trace):
        ns = measure(work, options.count)
    result = {"work": options.work, "count": options.count, "ns": ns,
              "kernels": work.kernels and work.kernels * options.count,
              "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
              "value": work.is_right(options.count) or options.values_mean_nothing}
    stats = torch.cuda.memory_stats()
    result["reserved_bytes"] = stats["reserved_bytes.all.peak"]
    result["segments"], result["held_segments"] = (stats["segment.all." + what] for what in ("allocated", "current"))
    with open(options.result, "w") as file:
        json.dump(result, file)
    if options.work == "killed":
        time.sleep(2.5)  # CUPTI is emptied once a second
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
