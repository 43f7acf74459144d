#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: cuts.py PROF_REPORT FILE CUTS

A recording is cut in two at the times of its events, at most CUTS of them: what a report says with --time ..T and with
--time T.. must add up to what it says of the whole, row by row and column by column. Prints what does not.
"""
import json
import subprocess
import sys

TIMES = ("total_ns", "self_ns", "cumulative_ns", "tottime_ns", "self_cpu_ns")
COUNTS = ("calls", "count", "imports", "failed", "ncalls", "operators", "launches", "errors")
WORK = ("allocations", "bytes_allocated", "self_allocations", "self_bytes_allocated", "io_calls", "io_bytes",
        "self_io_calls", "self_io_bytes", "tensor_bytes", "cuda_calls", "cuda_ns", "memcpy_bytes", "device_bytes",
        "cpu_mem_bytes", "self_cpu_mem_bytes", "cuda_mem_bytes", "self_cuda_mem_bytes")
GPU = ("gpu_ns", "gpu_self_ns", "gpu_ops", "self_cuda_ns", "total_cuda_ns")
ADDED = TIMES + COUNTS + WORK + GPU
REPORTS = {  # and what tells their rows apart
    "imports": ("module",),
    "functions": ("place",),
    "ops": ("name",),
    "nvtx": ("name", "domain", "depth"),
    "actions": ("name",),
    "modules": ("module",),
    "nccl": ("backend", "op"),
    "io": ("file",),
    "api": ("name",),
    "launches": ("kernel",),
    "kernels": ("kernel",),
    "gpu-copies": ("kind",),
}


def rows(program, report, path, *options):
    command = [program, report, "--format", "json", "--limit", "0", *options, path]
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).stdout
    sums = {}
    for row in json.loads(text)["rows"] or []:
        key = tuple(str(row.get(name)) for name in REPORTS[report])
        into = sums.setdefault(key, dict.fromkeys(ADDED, 0))
        for name in ADDED:
            value = row.get(name) or 0
            into[name] += 0 if isinstance(value, str) else value  # "2/1" calls of functions
    return {key: value for key, value in sums.items() if any(value.values())}


def event_times(program, path):
    text = subprocess.run([program, "dump", path], stdout=subprocess.PIPE, check=False).stdout.decode("utf-8", "replace")
    return sorted({int(line.split()[0]) for line in text.splitlines()
                   if len(line.split()) > 2 and line[0].isdigit() and ":" in line.split()[1]})


def compare(program, report, path, at_ns, whole):
    before = rows(program, report, path, "--time", f"..{at_ns}ns")
    after = rows(program, report, path, "--time", f"{at_ns}ns..")
    wrong = 0
    # Where no action lies in a part, report actions goes on to labels and ranges.
    for key in whole if report == "actions" else set(before) | set(after) | set(whole):
        for name in ADDED:
            parts = [sums.get(key, {}).get(name, 0) for sums in (before, after)]
            if sum(parts) != whole.get(key, {}).get(name, 0):
                wrong += 1
                print(f"{report} {path}, cut at {at_ns} ns: {name} of {'/'.join(key)}: {parts[0]} and {parts[1]} "
                      f"are not {whole.get(key, {}).get(name, 0)}")
    return wrong


def main():
    program, path, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
    times = event_times(program, path)
    step = max(1, len(times) // most)
    wrong = compared = 0
    for report in REPORTS:
        whole = rows(program, report, path)
        for at_ns in times[step // 2::step] if whole else []:
            wrong += compare(program, report, path, at_ns, whole)
            compared += 1
    print(f"{compared} cuts, {wrong} wrong")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
