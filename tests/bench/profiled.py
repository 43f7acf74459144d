# SPDX-License-Identifier: MIT
"""usage: profiled.py OPTIONS TRACE SCRIPT [ARGUMENT...]
Runs SCRIPT under torch.profiler, CPU; OPTIONS: profiler[,shapes][,memory][,stack][,table]. With `table` the table of
operators is made afterwards (how long that takes, and the process's peak memory with it) and the trace is written."""
import json
import os
import runpy
import sys
import time

import torch

OPTIONS, TRACE = sys.argv[1].split(","), sys.argv[2]
sys.argv = sys.argv[3:]


def peak_bytes():
    with open("/proc/self/status") as file:
        return 1024 * int([line.split()[1] for line in file if line.startswith("VmHWM:")][0])


def main():
    profiler = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes="shapes" in OPTIONS,
        profile_memory="memory" in OPTIONS, with_stack="stack" in OPTIONS)
    profiler.start()
    runpy.run_path(sys.argv[0], run_name="__main__")
    result = {"script_peak_bytes": peak_bytes()}
    if "table" in OPTIONS:
        wall, cpu = time.perf_counter_ns(), time.process_time_ns()
        profiler.stop()
        profiler.key_averages().table(sort_by="self_cpu_time_total")
        result.update(table_ns=time.perf_counter_ns() - wall, table_cpu_ns=time.process_time_ns() - cpu,
                      peak_bytes=peak_bytes())
        profiler.export_chrome_trace(TRACE)
    print("result", json.dumps(result), flush=True)
    os._exit(0)  # without `table` nobody wants its events


main()
