#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""profiled.py WHAT,... OUT

Runs torch.profiler over work on "cuda" and writes what it has found to OUT, a JSON: for each session what its table and its
trace have of the GPU. WHAT is first (the profiler comes before CUDA), once, again (50 sessions), schedule, threads, one after
another in one process, or fork, alone.
"""

import collections
import json
import os
import sys
import tempfile
import threading

import torch
from torch.profiler import ProfilerActivity, profile, schedule

ON_GPU = ("kernel", "gpu_memcpy", "gpu_memset")
sessions = []


def step(x):
    y = torch.relu(x + 1)
    z = torch.zeros(256, device="cuda")
    return (y * 2).to("cpu"), z


def take(profiler):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        profiler.export_chrome_trace(file.name)
        with open(file.name) as trace:
            events = json.load(trace)["traceEvents"]
    work = [event for event in events if event.get("cat") in ON_GPU]
    runtime = {event["args"]["correlation"] for event in events if event.get("cat") == "cuda_runtime"}
    kinds = collections.Counter(event.get("cat") for event in events)
    sessions.append({
        "pid": os.getpid(),
        "kinds": {kind: kinds[kind] for kind in (*ON_GPU, "cuda_runtime", "cuda_driver", "cpu_op", "ac2g")},
        "linked": sum("External id" in event["args"] for event in work),
        "called": sum(event["args"]["correlation"] in runtime for event in work),
        "table": sorted([row.key, row.count, round(row.self_device_time_total * 1000)]
                        for row in profiler.key_averages() if row.self_device_time_total),
        "work": sorted([event["args"]["correlation"], event["cat"], event["name"], round(event["dur"] * 1000), event["ts"]]
                       for event in work),
    })


def activities():
    return [ProfilerActivity.CPU, ProfilerActivity.CUDA]


def once(steps=5):
    x = torch.ones(64, 64).to("cuda")
    step(x)
    with profile(activities=activities()) as profiler:
        for _ in range(steps):
            step(x)
        torch.cuda.synchronize()
    take(profiler)
    step(x)
    torch.cuda.synchronize()


def again():
    for number in range(50):
        once(1 + number % 3)


def scheduled():
    x = torch.ones(64, 64).to("cuda")
    plan = schedule(wait=1, warmup=1, active=2, repeat=3)
    with profile(activities=activities(), schedule=plan, on_trace_ready=take) as profiler:
        for _ in range(12):
            step(x)
            profiler.step()


def threads():
    x = torch.ones(64, 64).to("cuda")

    def run():
        for _ in range(20):
            step(x)

    with profile(activities=activities()) as profiler:
        workers = [threading.Thread(target=run) for _ in range(3)]
        for worker in workers:
            worker.start()
        run()
        for worker in workers:
            worker.join()
        torch.cuda.synchronize()
    take(profiler)


def first():
    with profile(activities=activities()) as profiler:
        x = torch.ones(64, 64).to("cuda")
        step(x)
        torch.cuda.synchronize()
    take(profiler)
    once()


def fork(out):
    child = os.fork()
    once()
    if not child:
        write(out + ".child")
        sys.stdout.flush()
        sys.exit(0)
    os.waitpid(child, 0)


def write(path):
    with open(path, "w") as file:
        json.dump(sessions, file)


def main():
    what, out = sys.argv[1:]
    if what == "fork":
        fork(out)
    else:
        for each in what.split(","):
            {"once": once, "again": again, "schedule": scheduled, "threads": threads, "first": first}[each]()
    write(out)


if __name__ == "__main__":
    main()
