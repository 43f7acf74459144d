# SPDX-License-Identifier: MIT
"""usage: users.py

A program that uses profilers of its own and prints what they say, without times: it must be the same with
and without us.
"""
import collections
import cProfile
import io
import json
import pstats
import re
import sys

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

import models


# Up to 2.3 or so torch.profiler counts in microseconds: what it folds into one and gives to whom is chance.
ROUGH = "" if hasattr(torch._C._autograd._KinetoEvent, "start_ns") else "rough "


def count(names):
    return sorted(collections.Counter(names).items())


def scheduled(step):
    """The steps of a schedule and what its handler was given for each cycle."""
    seen = []

    def ready(profiler):
        seen.append([profiler.step_num, sorted((e.key, e.count) for e in profiler.key_averages())])

    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
                 on_trace_ready=ready) as profiler:
        for _ in range(9):
            step()
            profiler.step()
    return seen


def everything(step):
    """Shapes, stacks, memory and FLOPs; the table of averages and the trace for Chrome."""
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True, profile_memory=True,
                 with_flops=True) as profiler:
        for _ in range(2):
            step()
    profiler.export_chrome_trace("trace.json")
    with open("trace.json") as file:
        trace = json.load(file)
    events = trace if isinstance(trace, list) else trace["traceEvents"]  # PyTorch 1: nothing else
    averages = profiler.key_averages(group_by_input_shape=True)
    print(ROUGH + "memory", json.dumps(sorted((e.key, e.count, str(e.input_shapes), e.cpu_memory_usage,
                                       e.self_cpu_memory_usage) for e in averages)))
    stacks = [re.sub(" at 0x[0-9a-f]+", "", "; ".join(e.stack[:2])) for e in profiler.events() if e.stack]
    print(ROUGH + "stacks", json.dumps(count(stacks)))
    print(ROUGH + "averages", json.dumps(sorted((e.key, e.count, str(e.input_shapes), e.flops)
                                                for e in averages if e.key != "[memory]")))
    return {"trace": count("%s %s" % (e.get("cat"), e["name"]) for e in events
                           if e.get("ph") in ("X", "i") and e.get("cat") in ("cpu_op", "user_annotation",
                                                                             "cpu_instant_event")),
            "flows": count(e["name"] for e in events if e.get("ph") == "s")}


def without_kineto(step):
    with torch.autograd.profiler.profile(use_kineto=False, record_shapes=True) as profiler:
        step()
    return sorted((e.key, e.count) for e in profiler.key_averages())


def with_kineto(step):
    with torch.autograd.profiler.profile(use_kineto=True) as profiler:
        step()
    return count(e.name for e in profiler.function_events)


def functions(step):
    profiler = cProfile.Profile()
    profiler.runcall(step)
    stats = pstats.Stats(profiler, stream=io.StringIO()).stats
    return sorted([file, line, name, value[0], value[1]] for (file, line, name), value in stats.items())


def traced(step):
    """sys.settrace and sys.setprofile belong to the program."""
    seen = collections.Counter()

    def hook(frame, event, argument):
        seen[event, frame.f_code.co_name] += 1

    sys.setprofile(hook)
    with record_function("mine"):
        step()
    sys.setprofile(None)
    return sorted(seen.items())


def main():
    torch.manual_seed(1)
    step = models.cnn()
    step()
    for use in (scheduled, everything, without_kineto, with_kineto, functions, traced):
        folded = use in (scheduled, with_kineto)
        print((ROUGH if folded else "") + use.__name__, json.dumps(use(step)))


main()
