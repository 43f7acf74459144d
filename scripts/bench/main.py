# SPDX-License-Identifier: MIT
"""usage: main.py [--build DIRECTORY] [--rounds N] [--size full|short|quick] [GROUP...]
What `make bench` runs; see scripts/bench.sh."""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time

import groups
import groups_count
import groups_gpu
import groups_stacks
import groups_steps
import groups_torch
import table

DEFAULT = {**groups.GROUPS, **groups_count.GROUPS, **groups_gpu.GROUPS, **groups_stacks.GROUPS, **groups_steps.GROUPS,
           **groups_torch.GROUPS}
GROUPS = {**DEFAULT, **groups_torch.ON_REQUEST}


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        return done.stdout.strip().split("\n")[0]
    except OSError:
        return "not here"


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return "%s, %d cores" % (names[0] if names else "unknown processor", os.cpu_count())


def machine(bench):
    """Lines that say where the numbers come from."""
    lines = ["date: " + time.strftime("%Y-%m-%d %H:%M"), "processor: " + processor(),
             "kernel: %s, libc: %s" % (platform.release(), "-".join(platform.libc_ver())),
             "compiler: " + first_line(os.environ.get("CC", "cc"), "--version"),
             "load at the start: %.2f" % os.getloadavg()[0],
             "intercept: " + first_line(bench.ours.report, "--version"),
             "heaptrack: " + first_line("heaptrack", "--version"), "lttng: " + first_line("lttng", "--version")]
    if bench.python:
        lines.append("python: " + first_line(bench.python, "-c", """
import sys, importlib.metadata as m
def version(name):
    try:
        return name + ' ' + m.version(name)
    except m.PackageNotFoundError:
        return name + ' not here'
print(sys.version.split()[0], version('torch'), version('memray'), sep=', ')"""))
    return lines


def measure(bench, name):
    """Rows of a group; one that fails says so in a row and does not stop the others."""
    print("bench: %s" % name, file=sys.stderr, flush=True)
    try:
        return GROUPS[name](bench)
    except (RuntimeError, OSError, ValueError, KeyError) as error:
        print("bench: %s: %s: %s" % (name, type(error).__name__, error), file=sys.stderr)
        return [table.row(name, "failed")]


def write_results(bench, head, rows):
    """What there is so far; returns it as text."""
    text = "\n".join(["* " + line for line in head] + ["", table.text(rows), ""])
    with open(os.path.join(bench.folder, "results.md"), "w") as file:
        file.write(text)
    with open(os.path.join(bench.folder, "results.json"), "w") as file:
        json.dump({"machine": head, "runs": bench.log}, file, indent=1)
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", choices=groups_steps.SIZES, default="full", help="of the group steps")
    parser.add_argument("group", nargs="*", choices=[[], *GROUPS])
    options = parser.parse_args()
    bench = groups.Bench(options.build, options.rounds, options.size)
    start = time.time()
    head, rows, text = machine(bench), [], ""
    try:
        for name in options.group or DEFAULT:
            rows += measure(bench, name)
            text = write_results(bench, head, rows)
    finally:
        bench.lttng.stop_daemon()
        shutil.rmtree(os.path.join(bench.folder, "data"), ignore_errors=True)
    print(text)
    print("bench: %.0f s, every run in %s/results.json" % (time.time() - start, bench.folder), file=sys.stderr)


main()
