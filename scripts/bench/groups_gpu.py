# SPDX-License-Identifier: MIT
"""A launch with all that CUPTI tells of it, over the fake CUDA: our part alone.

The fake's cost is that of a tool that asks for the same and does nothing with it (tests/bench/empty_cupti.c). Instructions are
those of libintercept.so itself, so that the fake, libc and the program are not among them.
"""
import os
import re
import shutil
import statistics
import subprocess

import table
import tools

LAUNCHES = 400000
FEW, MANY = 10000, 30000


class Empty(tools.Tool):
    """The tool that does nothing with what CUPTI tells."""

    name = "empty tool of CUPTI"

    def __init__(self, library, fake):
        self.library, self.fake = library, fake

    def environment(self, path):
        return {"CUDA_INJECTION64_PATH": self.library, "LD_LIBRARY_PATH": self.fake}


def own_instructions(file, library):
    """Sums of a callgrind file's cost lines in functions of the library, without what they call."""
    names, here, skips, total = {}, False, False, 0
    with open(file) as lines:
        for line in lines:
            found = re.match(r"ob=\((\d+)\)(?: (.*))?", line)
            if found:
                names.setdefault(found[1], (found[2] or "").strip())
                here = os.path.basename(names[found[1]]) == library
            elif re.match(r"cob=\((\d+)\)", line):
                found = re.match(r"cob=\((\d+)\)(?: (.*))?", line)
                names.setdefault(found[1], (found[2] or "").strip())
            elif line.startswith("calls="):
                skips = True
            elif re.match(r"[0-9+*-]", line):
                total += int(line.split()[1]) if here and not skips and len(line.split()) > 1 else 0
                skips = False
    return total


def count(tool, command, path):
    tool.clean(path)
    file = path + ".callgrind"
    environment = ["%s=%s" % pair for pair in tool.environment(path).items()]
    done = subprocess.run(["env", *environment, "valgrind", "--tool=callgrind", "--callgrind-out-file=" + file, *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        raise RuntimeError("'%s': %s" % (" ".join(command), done.stderr.strip()[-300:]))
    return own_instructions(file, os.path.basename(tool.library))


def gpu(bench):
    program = os.path.join(bench.build, "programs", "cuda_gpu")
    if not os.path.exists(program):
        return [table.row("a launch with CUPTI", "make tests")]
    calls = tools.Intercept(bench.build, "calls", TRACE="cuda", SAMPLE="0")
    everything = tools.Intercept(bench.build, "all of the GPU", TRACE="cuda,gpu", SAMPLE="0")
    empty = Empty(os.path.join(bench.folder, "libempty_cupti.so"), os.path.join(bench.build, "fake"))
    command = [program, "many", str(LAUNCHES)]
    cost, size, rows = {}, {}, []
    for _ in range(bench.rounds):
        for tool in (bench.bare, empty, calls, everything):
            result = bench.once(tool, command, "gpu")
            cost.setdefault(tool.name, []).append(result["run_cpu_ns"] / LAUNCHES)
            if tool in (calls, everything):
                tool.totals(bench.path(tool))  # waits for the file
                size.setdefault(tool.name, []).append(bench_size(bench, tool))
    median = {name: statistics.median(values) for name, values in cost.items()}
    part = statistics.median(a - b for a, b in zip(cost[everything.name], cost[empty.name]))
    rows.append(table.row("launch, all of the GPU: our part, ns (program's CPU)", part, median["bare"], empty.name,
                          median[empty.name], "<= 250", part <= 250))
    rows.append(table.row("the same with the fake's part, ns", median[everything.name], median["bare"]))
    rows.append(table.row("launch, calls alone, ns", median[calls.name], median["bare"]))
    if shutil.which("valgrind"):
        for tool in (calls, everything):
            few, many = [count(tool, [program, "many", str(n)], bench.path(tool)) for n in (FEW, MANY)]
            rows.append(table.row("own instructions a launch: " + tool.name, (many - few) / (MANY - FEW)))
    for tool in (calls, everything):
        rows.append(table.row("bytes a launch: " + tool.name, statistics.median(size[tool.name]), target="<= 6",
                              met=statistics.median(size[tool.name]) <= 6))
    return rows


def bench_size(bench, tool):
    return bench.ours.bytes(bench.path(tool)) / LAUNCHES


GROUPS = {"gpu": gpu}
