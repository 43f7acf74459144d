#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""judge_gpu.py PROF-REPORT FILE

Are the columns of the GPU in ops, nvtx, modules, threads and steps what follows from the events one by one? All of it is
computed again here, from `dump` and by the definitions alone: torch.profiler's (an operator has the kernels, copies and
memsets that were launched while it was the innermost one of its thread, its total has those of the operators inside,
an only child of its parent's name is the same call; of modules only what runs while they are open is computed again, not their
backward), nsys' (a range lasts on the GPU from the begin of its first
operation to the end of its last; what autograd's thread runs is in the ranges of the thread whose backward functions it runs,
and which waits for it), the TensorBoard plugin's (each instant of a step is its first category's). Prints the
differences, exit status 1.
"""

import collections
import json
import re
import subprocess
import sys

HIDDEN = {"profiler::_record_function_enter", "profiler::_record_function_enter_new", "profiler::_record_function_exit",
          "aten::is_leaf", "aten::output_nr", "aten::_version"}
LINE = re.compile(r"(\d+) (\d+:\d+) (\w+) ?(.*)")
FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')


class Scope:
    def __init__(self, name, parent):
        self.name, self.parent, self.children, self.work = name, parent, [], []
        if parent:
            parent.children.append(self)

    def total(self):
        return sum(end - start for start, end in self.all_work())

    def all_work(self):
        work, left = [], [self]
        while left:
            scope = left.pop()
            work += scope.work
            left += scope.children
        return work


class Threads:
    """What is open on each thread, and every scope there was."""

    def __init__(self):
        self.open, self.all = collections.defaultdict(list), []

    def begin(self, thread, name):
        stack = self.open[thread]
        scope = Scope(name, stack[-1] if stack else None)
        stack.append(scope)
        self.all.append(scope)

    def end(self, thread, name=None):
        stack = self.open[thread]
        for at in range(len(stack) - 1, -1, -1):
            if name is None or stack[at].name == name:
                del stack[at]
                return

    def top(self, thread):
        return self.open[thread][-1] if self.open.get(thread) else None


def events_of(program, path):
    done = subprocess.run((program, "dump", "--wait", "60", path), capture_output=True, text=True, errors="replace")
    events = []
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if match:
            time, thread, kind, rest = match.groups()
            events.append((int(time), thread, kind, {key: value.strip('"') for key, value in FIELD.findall(rest)}))
    return sorted(events, key=lambda event: event[0])


def replay(events):
    ops, ranges, modules = Threads(), Threads(), Threads()
    calls, work, steps, held = {}, [], collections.defaultdict(list), {}
    autograd, number_of = {}, {}
    for time, thread, kind, field in events:  # the thread of autograd, and that for which it works
        if kind in ("torch_begin_ex", "torch_begin_id"):
            number_of.setdefault(field["thread"], thread)
            if field["scope"] == "1" and field["forward_thread"] not in ("0", field["thread"]):
                autograd[thread] = number_of[field["forward_thread"]]
    for time, thread, kind, field in events:
        process = thread.split(":")[0]
        if kind == "torch_begin_id":
            held[process, field["function"]] = thread
        if kind in ("torch_begin", "torch_begin_ex", "torch_begin_id"):
            if field["name"] not in HIDDEN:
                ops.begin(thread, field["name"])
            else:
                ops.open[thread].append(ops.top(thread) or Scope("", None))
        elif kind == "torch_end":
            ops.end(thread)
        elif kind == "torch_end_ex" and field["thread"] == "0":
            ops.end(thread, field["name"])
        elif kind == "torch_end_id" and (process, field["function"]) in held:
            ops.end(held.pop((process, field["function"])), field["name"])
        elif kind in ("nvtx_push", "nvtx_push_ex"):
            ranges.begin(thread, field["name"])
        elif kind == "nvtx_pop":
            ranges.end(thread)
        elif kind == "torch_module_begin":
            modules.begin(thread, field["name"])
        elif kind == "torch_module_end":
            modules.end(thread)
        elif kind == "step":
            steps[process].append(time)
        if kind in ("cuda_launch", "cuda_copy", "cuda_call", "gpu_call") and int(field["correlation"], 16):
            calls[process, int(field["correlation"], 16)] = (
                time - int(field["duration_ns"]), thread, ops.top(thread),
                ranges.top(thread) or ranges.top(autograd.get(thread)), modules.top(thread) or modules.top(autograd.get(thread)))
        if kind in ("gpu_kernel", "gpu_copy", "gpu_set"):
            start = time - int(field["ago_ns"])
            work.append((process, int(field["correlation"], 16), kind, start, int(field["duration_ns"])))
    return ops, ranges, modules, calls, work, steps


def fold(scopes):
    """Only children of their parent's name become a part of it; the innermost first."""
    gone = set()
    for scope in reversed(scopes):
        if len(scope.children) == 1 and scope.children[0].name == scope.name:
            child = scope.children[0]
            scope.work += child.work
            scope.children = child.children
            gone.add(child)
    return [scope for scope in scopes if scope not in gone]


def union(pieces, low, high):
    """Stretches of [low, high) that any of the pieces covers."""
    covered, at = [], low
    for start, end in sorted(pieces):
        start, end = max(start, at), min(end, high)
        if end > start:
            covered.append((start, end))
            at = end
    return covered


def length(pieces):
    return sum(end - start for start, end in pieces)


def sums_of(scopes):
    sums = collections.defaultdict(collections.Counter)
    for scope in scopes:
        work, name = scope.all_work(), re.sub(r"^ProfilerStep#.*", "ProfilerStep*", scope.name)
        sums[name].update(total=length(work), own=length(scope.work), ops=len(work))
        if work:
            sums[name].update(ranges=1, projected=max(end for _, end in work) - min(start for start, _ in work))
    return sums


def rows_of(program, path, report, *options):
    command = (program, report, "--format", "json", "--wait", "60", "--limit", "0", *options, path)
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"]


def reported(rows, name, **columns):
    sums = collections.defaultdict(collections.Counter)
    for row in rows:
        sums[row[name]].update({key: row[column] or 0 for key, column in columns.items()})
    return sums


def compare(what, want, got):
    wrong = 0
    for name in sorted({*want, *got}):
        left, right = +want[name], +got[name]
        keys = {*right} | ({*left} & {*got[name]})
        if any(left[key] != right[key] for key in keys):
            wrong += 1
            print("%s %s: the events say %s, the report %s" % (what, name, dict(left), dict(right)))
    return wrong


def judge_steps(program, path, work, steps):
    wrong = 0
    parts = {"gpu_kernel": "kernel_ns", "gpu_copy": "memcpy_ns", "gpu_set": "memset_ns"}
    rows = [row for row in rows_of(program, path, "steps", "--sort", "start_ns") if row["gpu_ns"] is not None]
    if len(steps) != 1 or not rows:
        return 0
    marks = next(iter(steps.values()))
    for row in rows:
        low, high = row["start_ns"], row["start_ns"] + row["total_ns"]
        if high not in marks:
            wrong += 1
            print("a step ends where none was marked: %s" % row)
        covered, want = [], {}
        for kind, column in parts.items():
            pieces = [piece for piece in work if piece[0] == kind and piece[1] < high and piece[2] > low]
            before = length(union(covered, low, high))
            covered += [piece[1:] for piece in pieces]
            want[column] = length(union(covered, low, high)) - before
        want["gpu_ns"] = length(union(covered, low, high))
        if any(row[column] != value for column, value in want.items()):
            wrong += 1
            print("step %s: the events say %s, the report %s" % (row["step"], want, {key: row[key] for key in want}))
        every = ("kernel", "memcpy", "memset", "communication", "runtime", "gc", "dataloader", "operators", "other")
        if sum(row[name + "_ns"] for name in every) != row["total_ns"]:
            wrong += 1
            print("step %s: the parts are not the whole" % row["step"])
    return wrong


def main():
    program, path = sys.argv[1:]
    ops, ranges, modules, calls, work, steps = replay(events_of(program, path))
    threads, pieces, wrong = collections.defaultdict(collections.Counter), [], 0
    for process, correlation, kind, start, duration in work:
        begin, thread, *scopes = calls[process, correlation]
        start = max(start, begin)
        threads[int(thread.split(":")[1])].update(total=duration, ops=1)
        pieces.append((kind, start, start + duration))
        for scope in scopes:
            if scope:
                scope.work.append((start, start + duration))
    wrong += compare("ops", sums_of(fold(ops.all)), reported(
        rows_of(program, path, "ops"), "name", total="total_cuda_ns", own="self_cuda_ns"))
    wrong += compare("nvtx", sums_of(ranges.all), reported(
        rows_of(program, path, "nvtx"), "name", total="gpu_ns", own="gpu_self_ns", ops="gpu_ops", ranges="gpu_proj_count",
        projected="gpu_proj_ns"))
    got = collections.defaultdict(collections.Counter)
    for row in rows_of(program, path, "modules"):
        name = row["class"] if row["module"] == row["class"] else "%s: %s" % (row["class"], row["module"])
        got[name].update(total=(row["gpu_forward_ns"] or 0) + (row["gpu_recomputed_ns"] or 0))
        if (row["gpu_forward_ns"] or 0) + (row["gpu_recomputed_ns"] or 0) + (row["gpu_backward_ns"] or 0) != (row["gpu_ns"] or 0):
            wrong += 1
            print("module %s: forward, recomputed and backward are not the whole: %s" % (name, row))
    wrong += compare("modules", sums_of(modules.all), got)
    wrong += compare("threads", threads, reported(
        rows_of(program, path, "threads"), "tid", total="gpu_ns", ops="gpu_ops"))
    wrong += judge_steps(program, path, pieces, steps)
    if not work:
        print("no work of a GPU")
    sys.exit(bool(wrong) or not work)


if __name__ == "__main__":
    main()
