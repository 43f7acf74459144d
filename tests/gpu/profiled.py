# SPDX-License-Identifier: MIT
"""torch.profiler around a piece of a program, and what it found: PATH.trace.json, and PATH.ops.json with the table of
key_averages(): for each operator but labels [name, calls, nanoseconds of its own on the GPU]."""
import contextlib
import json

import torch
from torch.autograd import DeviceType

USER_SCOPE = 7  # of at::RecordScope: labels, optimizer steps


@contextlib.contextmanager
def profiled(path, device):
    if not path:
        yield
        return
    activities = [torch.profiler.ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities) as profile:
        yield
        if device == "cuda":
            torch.cuda.synchronize()
    profile.export_chrome_trace(path + ".trace.json")
    with open(path + ".trace.json") as file:
        operators = {event["name"] for event in json.load(file)["traceEvents"] if event.get("cat") == "cpu_op"}
    # Kernels have rows of their own there, and so have CUDA's calls and what torch.profiler does itself: they have the time of
    # kernels that their operator has, too.
    rows = [[row.key, row.count, round(row.self_device_time_total * 1000)] for row in profile.key_averages()
            if row.key in operators and row.device_type == DeviceType.CPU and row.scope != USER_SCOPE]
    with open(path + ".ops.json", "w") as file:
        json.dump(rows, file)
