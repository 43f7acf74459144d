#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""expect.py PROF-REPORT FILE EXPRESSION...

Each EXPRESSION is Python and must be true. In it a report's name is its JSON document, read once:
alloc.totals.allocations, threads.rows[0].tid, nvtx.row(name="step").count. A call adds options:
alloc("--by", "size").rows. `sized(n)` is how many heap blocks of n bytes were allocated, `load(path)`
reads a JSON file, `ended(row, n)`: the process's exit status is n, or unknown on a kernel that does not
tell it to strangers (before 6.15).
Prints what was false with the values of its sides, exit status 1.
"""

import ast
import collections
import functools
import gc
import glob
import json
import os
import re
import subprocess
import sys
import time

def reports(program):
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return [line.split()[0].replace("-", "_") for line in listed.splitlines()]


class Record(dict):
    """A JSON object whose keys are attributes."""

    __getattr__ = dict.__getitem__


class Report:
    """One report over one file, with options."""

    cache = {}

    def __init__(self, program, path, name, options=()):
        limit = () if name in ("summary", "bottleneck") else ("--limit", "0")
        wait = ("--wait", "60")  # children may go on when the program has ended
        self.command = (program, name, "--format", "json", *wait, *limit, *options, path)

    def __call__(self, *options):
        return Report(self.command[0], self.command[-1], self.command[1], options)

    def document(self):
        if self.command not in self.cache:
            # a program waits a second for its collector, which on a busy machine may make the file after that
            until = time.monotonic() + 60
            stem = self.command[-1].removesuffix(".evt")
            while not glob.glob(glob.escape(stem) + "*") and time.monotonic() < until:  # those of children may be all that is left
                time.sleep(0.05)
            done = subprocess.run(self.command, capture_output=True, text=True)
            if done.returncode not in (0, 1) or not done.stdout:
                sys.exit("%s: exit status %d: %s" % (" ".join(self.command), done.returncode, done.stderr))
            self.cache[self.command] = json.loads(done.stdout, object_hook=Record)
        return self.cache[self.command]

    def __getattr__(self, key):
        return self.document()[key]

    def row(self, **want):
        found = self.select(**want)
        if len(found) != 1:
            raise LookupError("%d rows of %s have %r" % (len(found), self.command[1], want))
        return found[0]

    def select(self, **want):
        return [row for row in self.rows if all(row[key] == value for key, value in want.items())]

    def sum(self, column):
        return sum(row[column] or 0 for row in self.rows)


def load(path):
    with open(path) as file:
        return json.load(file, object_hook=Record)


def count_sizes(program, path):
    """Heap blocks by their exact size, from the dump of all events."""
    done = subprocess.run((program, "dump", "--wait", "60", path), capture_output=True, text=True, errors="replace")
    sizes = re.findall(r" (?:malloc|calloc|realloc|memalign) ptr=\S+ size=(\d+)", done.stdout)
    return collections.Counter(map(int, sizes))


def ended(row, status):
    kernel = tuple(int(part) for part in re.findall(r"\d+", os.uname().release)[:2])
    return row.exit_status == status or (row.exit_status is None and kernel < (6, 15))


def lost_nothing(document):
    return not any(loss.get("count", 1) for loss in document.losses)


def explain(expression, names):
    """The values of the comparison's sides."""
    tree = ast.parse(expression, mode="eval").body
    if not isinstance(tree, ast.Compare):
        return ""
    sides = [tree.left, *tree.comparators]
    values = [eval(compile(ast.Expression(side), "", "eval"), names) for side in sides]
    return ": " + " | ".join(str(value)[:400] for value in values)


def main():
    gc.disable()  # rows are no circles
    program, path = sys.argv[1:3]
    names = {name: Report(program, path, name) for name in reports(program)}
    sizes = functools.lru_cache(None)(lambda: count_sizes(program, path))
    names.update(load=load, ended=ended, lost_nothing=lost_nothing, sized=lambda size: sizes()[size])
    failed = 0
    for expression in sys.argv[3:]:
        try:
            if not eval(expression, names):
                failed = 1
                print("false: %s%s" % (expression, explain(expression, names)))
        except Exception as error:  # the test goes on to its other expectations
            failed = 1
            print("cannot tell: %s: %s: %s" % (expression, type(error).__name__, error))
    return failed


sys.exit(main())
