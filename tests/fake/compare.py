#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py [-o REPORT...] [--peak] PROF-REPORT FILE COUNTS...

Are the reports over FILE what the fake CUDA counted itself (COUNTS: its JSON, one a process)? Every
function of hooks.def, every kernel, every kind of copy and of memory must be there and equal; what only one
side has is a difference. Prints the differences, at most 20 a report, exit status 1. With -o only these
reports of: api, launches, memcpy, device-memory. --peak compares peaks as well: only without threads, whose
order the two sides may see differently.
"""

import argparse
import collections
import json
import subprocess
import sys


# Not recorded: they only hand out what is recorded, or tell names.
SILENT = ("__cudaRegisterFunction", "cudaGetDriverEntryPoint", "cuGetProcAddress")
HOST_MEMORY = ("pinned", "registered")  # of no device


def known(function):
    """What people call: CUDA 13's header writes cudaLaunchKernel() as a call of __cudaLaunchKernel()."""
    return function[2:] if function.startswith("__cudaLaunchKernel") else function


def add(sums, key, **values):
    row = sums.setdefault(key, collections.Counter())
    row.update(values)


def counted(paths):
    """What the fake counted: {report: {key: {column: number}}}."""
    sums = {"api": {}, "launches": {}, "memcpy": {}, "device-memory": {}}
    for path in paths:
        with open(path) as file:
            counts = json.load(file)
        for name, calls in counts["calls"].items():
            if not name.startswith(SILENT):
                add(sums["api"], known(name), calls=calls, errors=counts["errors"].get(name, 0))
        for name, launches in counts["launches"].items():
            add(sums["launches"], name, done=launches)
        for kind, copies in counts["copies"].items():
            add(sums["memcpy"], kind, done=copies["calls"], bytes=copies["bytes"])
        for memory in counts["memory"]:
            device, kind = memory.pop("device"), memory.pop("kind")
            key = (None if kind in HOST_MEMORY else device, kind)
            add(sums["device-memory"], key, **memory)
    return sums


def reported(program, path, report):
    """The same of a report; `done` are the calls that did not fail."""
    names = ("--names", "mangled") if report == "launches" else ()
    command = (program, report, "--format", "json", "--wait", "60", "--limit", "0", *names, path)
    done = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape")
    if done.returncode:
        sys.exit("%s: exit status %d: %s" % (" ".join(command), done.returncode, done.stderr))
    sums = {}
    for row in json.loads(done.stdout)["rows"]:
        if report == "api":
            add(sums, row["name"], calls=row["calls"], errors=row["errors"])
        elif report == "launches":
            add(sums, row["kernel"], done=row["calls"] - row["errors"])
        elif report == "memcpy":
            add(sums, row["kind"], done=row["calls"] - row["errors"], bytes=row["bytes"])
        else:
            columns = ("allocations", "frees", "bytes_allocated", "live_bytes", "peak_bytes")
            add(sums, (row["device"], row["kind"]), **{key: row[key] for key in columns})
    return sums


def differences(report, want, got, ignored):
    for key in sorted(set(want) | set(got), key=str):
        for column in sorted(set(want.get(key, ())) | set(got.get(key, ()))):
            a, b = want.get(key, {}).get(column, 0), got.get(key, {}).get(column, 0)
            if a != b and column not in ignored:
                yield "%s: %s: %s is %s, the fake counted %s" % (report, str(key)[:200], column, b, a)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", action="append", dest="only")
    parser.add_argument("--peak", action="store_true")
    parser.add_argument("program")
    parser.add_argument("file")
    parser.add_argument("counts", nargs="+")
    given = parser.parse_args()
    failed = 0
    for report, want in counted(given.counts).items():
        if given.only and report not in given.only:
            continue
        got = reported(given.program, given.file, report)
        found = list(differences(report, want, got, () if given.peak else ("peak_bytes",)))
        print(*found[:20], *(["and %d more" % (len(found) - 20)] if len(found) > 20 else []), sep="\n", end="\n" * bool(found))
        failed |= bool(found)
        print("%s: %d rows compared" % (report, len(want)))
    return failed


if __name__ == "__main__":
    sys.exit(main())
