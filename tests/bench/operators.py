# SPDX-License-Identifier: MIT
"""usage: operators.py LIBRARY MODE BLOCKS
What a callback takes of an operator (torch.add of 4 floats): blocks of OPERATORS with this thread's callbacks on
and off by turns, so that a machine that gets slower meanwhile does not decide. The lower quartile of each counts.

MODE: plain (what is preloaded, or nothing), empty, empty-inputs or empty-clock (LIBRARY's callback,
empty_callback.c), or options of torch.profiler: profiler[,shapes][,memory][,stack]."""
import ctypes
import json
import os
import sys
import time

import torch

LIBRARY, MODE, BLOCKS = sys.argv[1], sys.argv[2], int(sys.argv[3])
OPERATORS = 500


def add_empty_callback():
    torch_cpu = ctypes.CDLL(os.path.join(torch.__path__[0], "lib", "libtorch_cpu.so"))
    add = torch_cpu["_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE"]
    ctypes.CDLL(LIBRARY).empty_callback_add(ctypes.cast(add, ctypes.c_void_p), MODE == "empty-inputs",
                                                MODE == "empty-clock")


def start_profiler():
    options = MODE.split(",")
    profiler = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes="shapes" in options,
        profile_memory="memory" in options, with_stack="stack" in options)
    profiler.start()
    return profiler


def measure():
    """{whether callbacks are on: ns an operator of each block}"""
    add, x, y, clock = torch.add, torch.ones(4), torch.ones(4), time.perf_counter_ns
    enable = torch._C._autograd._enable_record_function
    found = {False: [], True: []}
    with torch.no_grad():
        for _ in range(BLOCKS):
            for on in found:
                enable(on)
                start = clock()
                for _ in range(OPERATORS):
                    add(x, y)
                found[on].append((clock() - start) / OPERATORS)
    return found


def main():
    torch.set_num_threads(1)
    if MODE.startswith("empty"):
        add_empty_callback()
    profiler = start_profiler() if MODE.startswith("profiler") else None
    found = {on: sorted(blocks) for on, blocks in measure().items()}
    result = {"operators": BLOCKS * OPERATORS}
    for on, word in ((True, "on"), (False, "off")):
        result.update({word + "_ns": found[on][BLOCKS // 4], word + "_min_ns": found[on][0]})
    print("result", json.dumps(result), flush=True)
    if profiler:
        os._exit(0)  # it would take long to make its events of what it has seen


main()
