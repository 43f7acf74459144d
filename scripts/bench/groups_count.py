# SPDX-License-Identifier: MIT
"""Instructions of the hot paths, counted by callgrind: the one figure that a busy machine does not change.

Each subject runs with FEW and with MANY turns; the difference leaves out start and end.
"""
import re
import shutil
import subprocess

import table
import tools

FEW, MANY = 100000, 300000


class Callgrind(tools.Tool):
    """Around `inner`, bare or intercept; the collector runs outside of it."""

    package = "valgrind"

    def __init__(self, inner):
        self.inner = inner

    def missing(self):
        return not shutil.which("valgrind")

    def count(self, argv, path):
        """Instructions of the whole run."""
        self.inner.clean(path)
        preload = ["%s=%s" % pair for pair in self.inner.environment(path).items()]
        command = ["env", *preload, "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *argv]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        found = re.findall(r"^==\d+== Collected : (\d+)", done.stderr, re.M)
        if done.returncode or not found:
            raise RuntimeError("'%s': %s" % (" ".join(command), done.stderr.strip()[-300:]))
        return max(int(count) for count in found)  # the library's own short-lived children are counted, too


def each(bench, tool, name, *before):
    """Instructions of one turn of the subject."""
    counter = Callgrind(tool)
    few, many = [counter.count(bench.program(name, *before, turns), bench.path(tool)) for turns in (FEW, MANY)]
    return (many - few) / (MANY - FEW)


def instructions(bench):
    if Callgrind(bench.bare).missing():
        return [table.row("instructions", "install " + Callgrind.package)]
    recorded = tools.Intercept(bench.build, TRACE="+io")
    rows = []
    for what, tool, subject in (("malloc+free pair", bench.ours, ("heap", 1)), ("NVTX push+pop pair", bench.ours, ("nvtx",)),
                                ("pread() of a byte, io off", bench.ours, ("io",)),
                                ("pread() of a byte, io recorded", recorded, ("io",))):
        rows.append(table.row("instructions: " + what, each(bench, tool, *subject), each(bench, bench.bare, *subject)))
    return rows


GROUPS = {"instructions": instructions}
