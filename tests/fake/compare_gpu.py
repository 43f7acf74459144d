#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare_gpu.py [--within NS] PROF-REPORT FILE COUNTS...

Are the tables of the GPU over FILE what the fake device did (`device` of COUNTS, the fake's JSON, one a process)?
Kernels by name, copies by kind, waits: numbers, bytes and times, all of them exact; or each time to NS nanoseconds, where
CUPTI has the clock of another user. Prints the differences, exit status 1.
"""

import collections
import json
import subprocess
import sys


def counted(paths):
    sums = collections.defaultdict(collections.Counter)
    for path in paths:
        with open(path) as file:
            device = json.load(file)["device"]
        for name, row in device["kernels"].items():
            sums["kernel", name].update(row)
        for kind, row in device["copies"].items():
            sums["copy", kind].update(row)
        sums["waits", ""].update(calls=device["waits"])
    return sums


def rows_of(program, path, report, *options):
    command = (program, report, "--format", "json", "--wait", "60", "--limit", "0", *options, path)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: exit status %d: %s" % (" ".join(command), done.returncode, done.stderr))
    return json.loads(done.stdout)["rows"]


def reported(program, path):
    sums = collections.defaultdict(collections.Counter)
    for row in rows_of(program, path, "kernels", "--names", "mangled"):
        sums["kernel", row["name"]].update(calls=row["calls"], total_ns=row["total_ns"])
    for row in rows_of(program, path, "gpu-copies"):
        sums["copy", row["kind"]].update(calls=row["calls"], bytes=row["bytes"], total_ns=row["total_ns"])
    sums["waits", ""].update(calls=sum(row["calls"] for row in rows_of(program, path, "sync")))
    return sums


def same(want, got, within):
    apart = abs(want["total_ns"] - got["total_ns"])
    return apart <= within * want["calls"] and all(want[key] == got[key] for key in ("calls", "bytes"))


def main():
    within = 0
    if sys.argv[1] == "--within":
        within = int(sys.argv[2])
        del sys.argv[1:3]
    program, path, *counts = sys.argv[1:]
    want, got = counted(counts), reported(program, path)
    if not want["waits", ""]["calls"]:  # CUPTI was not asked for them (INTERCEPT_GPU_WAITS): the report has the calls that wait
        del got["waits", ""]
    wrong = [key for key in sorted({*want, *got}) if not same(want[key], got[key], within)]
    for key in wrong[:20]:
        print("%s %s: the device %s, the report %s" % (*key, dict(want[key]), dict(got[key])))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
