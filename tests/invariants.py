#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""invariants.py [--deep] [--keys] [--all] PROF-REPORT RECORDING|FOLDER...

Checks what must hold in every recording, whatever was recorded: shares are between 0 and 100 %, parts add up to their whole, self is at
most total, minimum, percentiles and maximum are in order, no time is longer than the life of what it is of, nothing lies outside of the
run, and reports that state the same figure agree. Prints a line for each fault, exit status 1.

Columns are known by their names and units, as the reports' JSON has them, and by their meaning in --help. What no name can say stands in
WHOLES (sums of columns) and SAME (figures of two reports). All reports come from one reading (`export json`). --deep also reads those
with a row for each thread, and halves of the run (--time); --keys those of every key of --by, and all that people read: the
tables with the sentences around them. A recording that is damaged, was overwritten by the program, or still grows, is left out. Of a FOLDER it is those that have 2 MB
together, the smallest first, and five of these, of all sizes: tests/run takes what a case has left behind.
In those native functions are not looked up: no rule knows their names, which take half of the time where libraries are large.
KNOWN has faults that are not mended yet, each with its reason; --all prints them as well.
"""

import gc
import json
import operator
import os
import re
import subprocess
import sys
import tempfile

# What is known to be wrong and waits to be mended: report, what the rule says of it (regular expressions), and why. When it is mended its
# line goes away, and the rule holds.
KNOWN = ()

# REPORT: columns of a row that are together another one. One with a "?" may be empty; where one with a "!" is not, this does not hold.
WHOLES = {
    "steps": (
        ("total_ns", "kernel_ns", "memcpy_ns", "memset_ns", "communication_ns", "runtime_ns", "gc_ns", "dataloader_ns", "operators_ns", "other_ns"),
        ("total_ns", "running_ns", "waiting_ns", "?helped_ns"),
        ("operators_ns", "operators_running_ns", "operators_waiting_ns", "!helped_ns"),
        ("other_ns", "other_running_ns", "other_waiting_ns", "!helped_ns"),
        ("total_ns", "data_ns", "forward_ns", "backward_ns", "optimizer_ns", "communication_ns", "evaluation_ns", "other_phase_ns"),
        ("gpu_ns", "gpu_data_ns", "gpu_forward_ns", "gpu_backward_ns", "gpu_optimizer_ns", "gpu_communication_ns", "gpu_evaluation_ns",
         "gpu_other_phase_ns"),
    ),
    # where backward was not known, recomputed calls are not told apart either
    "modules": (("total_ns", "forward_ns", "backward_ns", "recomputed_ns"), ("gpu_ns", "gpu_forward_ns", "gpu_backward_ns", "gpu_recomputed_ns")),
    "utilization": (("span_ns", "busy_ns", "idle_ns"),),
    "gil": (("wait_ns", "blocked_ns", "unknown_ns"),),  # of the totals
}

# The same figure of two reports, REPORT.TOTAL; A|B: A, or where that was not said, B.
SAME = (
    ("summary.allocations", "alloc.allocations"), ("summary.bytes_allocated", "alloc.bytes_allocated"),
    ("summary.peak_bytes", "alloc.peak_bytes"), ("summary.peak_bytes", "peak.bytes"), ("alloc.peak_time_ns", "peak.time_ns"),
    ("alloc.peak_allocations", "peak.allocations"), ("alloc.live_bytes", "leaks.bytes"), ("alloc.live_allocations", "leaks.allocations"),
    ("summary.live_bytes", "alloc.live_bytes"), ("threads.allocations", "alloc.allocations"),
    ("threads.bytes_allocated", "alloc.bytes_allocated"), ("summary.events", "threads.events"), ("summary.events", "processes.events"),

    ("summary.cuda_calls", "api.calls"), ("summary.cuda_ns", "api.total_ns"), ("summary.cuda_errors", "api.errors"),
    ("summary.launches", "launches.calls"), ("summary.memcpy_calls", "memcpy.calls"), ("summary.memcpy_bytes", "memcpy.bytes"),
    ("summary.operators", "ops.estimated_calls|calls"), ("summary.operators_self_cpu_ns", "ops.self_cpu_ns"), ("summary.steps", "steps.steps"),
    ("summary.step_total_ns", "steps.total_ns"), ("summary.step_p50_ns", "steps.p50_ns"), ("bottleneck.steps", "steps.steps"),
    ("bottleneck.step_total_ns", "steps.total_ns"), ("summary.wall_ns", "bottleneck.wall_ns"),
    ("threads.cuda_calls", "api.calls"), ("threads.cuda_ns", "api.total_ns"), ("threads.launches", "launches.calls"),
    ("summary.memory_seen_bytes", "memory.resident_bytes"),
    ("summary.memory_heap_bytes", "memory.heap_bytes"), ("summary.memory_rest_bytes", "memory.rest_bytes"),
    ("top-down.total", "alloc.bytes_allocated"), ("bottom-up.total", "alloc.bytes_allocated"), ("flame.total", "alloc.bytes_allocated"),
    ("summary.device_peak_bytes", "device-memory.peak_bytes"), ("summary.device_live_bytes", "device-memory.live_bytes"),
    ("nvtx.count", "threads.nvtx_ranges"),
    ("summary.processes", "processes.processes"), ("summary.threads", "threads.threads"), ("summary.cpu_ns", "processes.cpu_ns"),
)

# Those of processes' whole lives: --time does not change them everywhere.
SAME_WHOLE = (
    ("summary.events_lost", "processes.events_lost"), ("summary.memory_peak_bytes", "memory.kernel_bytes"),
)

# Tables whose rows do not add up to their totals.
NOT_SUMS = (
    "functions --by caller",  # who was called by nobody is in no row, and what is primitive is so for each caller
    "gpu-idle --by activity",  # a gap counts with each activity that it had
)
# Columns that do not add up over rows: a greatest, a mean, a moment, a place, a share.
NOT_ADDED = re.compile(r"(^|_)(peak|max|min|avg|mean|stddev|p\d\d|percent|rate|depth|time|first|last|start|end|percall|id)(_|$)")
INCLUSIVE = re.compile(r"^(total|cumulative|cum)|^(allocations|bytes_allocated|io_calls|io_bytes|size_increase|frees)$")
FOLDER_BYTES, FOLDER_FILES = 2000000, 5
ROUNDING = 0.001  # shares have six digits


def run(program, *arguments):
    return subprocess.run((program, *arguments), capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)


def meaning(program, report, column, cache={}):
    """What --help says of a column; asked for when a figure looks wrong."""
    if report not in cache:
        cache[report] = {}
        name = None
        for line in run(program, report, "--help").stdout.splitlines():
            head = re.match(r"  ([a-z0-9_]+) +.*? (?:text|count|ns|bytes|bytes/s|percent|id) *( .*)?$", line)
            if head and not line.startswith("   "):
                name = head[1]
                cache[report][name] = head[2] or ""
            elif name and line.startswith("    "):
                cache[report][name] += " " + line.strip()
            else:
                name = None
    return cache[report].get(column, "")


class Table:
    """One report over one recording."""

    def __init__(self, run_of, document, name=None):
        self.run, self.name = run_of, name or document["report"]
        self.report = document["report"]
        self.rows = [row for row in document.get("rows") or () if isinstance(row, dict)]
        self.totals = document.get("totals") or {}
        self.units = {column["name"]: column["unit"] for column in document.get("columns") or ()}
        self.values_of = {}
        self.session, self.losses = document.get("session") or {}, document.get("losses") or ()

    def meaning(self, column):
        return meaning(self.run.program, self.report, column)

    def values(self, name):
        """Those that there are, of one column."""
        if name not in self.values_of:
            self.values_of[name] = [value for value in map(operator.methodcaller("get", name), self.rows) if isinstance(value, (int, float))]
        return self.values_of[name]

    def columns(self, *units):
        return [name for name, unit in self.units.items() if unit in units]

    def has(self, *names):
        return all(name in self.units for name in names)

    def label(self, row):
        words = [str(row[name]) for name, unit in self.units.items() if unit in ("text", "id") and row.get(name) not in (None, "")]
        return " ".join(words)[:80]


def numbers(row, *names):
    values = [row.get(name) for name in names]
    return values if all(isinstance(value, (int, float)) for value in values) else None


def shares(table):
    for name in table.columns("percent"):
        values = table.values(name)
        for row in table.rows if values and not -ROUNDING <= min(values) <= max(values) <= 100 + ROUNDING else ():
            value = row.get(name)
            if value is not None and not -ROUNDING <= value <= 100 + ROUNDING:
                yield "%s of '%s' is %s %%" % (name, table.label(row), value)
    for row in table.rows if table.report in ("bottleneck", "summary") else ():
        for text in (row.get("text") or "", row.get("value") or ""):
            for share in re.findall(r"([\d,]+(?:\.\d+)?) %", str(text)):
                if float(share.replace(",", "")) > 100:
                    yield "%s %% in '%s'" % (share, text[:200])


def not_negative(table):
    for name in table.columns("count", "bytes", "ns", "bytes/s"):
        low = min(table.values(name), default=0)
        if low < 0 and not re.search("minus|difference", table.meaning(name)) and "same" not in table.meaning(name):
            yield "%s is %s" % (name, low)


def self_within_total(table):
    for name in table.units:
        # where there is a self_x, an x is something else
        whole = "" if "self_" + name in table.units else "total_" + name
        without = "" if name.replace("self_", "total_") in table.units else re.sub(r"(^|_)self_", r"\1", name)
        inner = [part for part in (without, name.replace("self_", "total_"), whole,
                                   name.replace("self", "cumulative"), name.replace("tottime", "cumtime"),
                                   re.sub("^self$", "total", name)) if part != name and part in table.units]
        for total in inner:
            for row in table.rows:
                pair = numbers(row, name, total)
                if pair and pair[0] > pair[1] + (ROUNDING if table.units[name] == "percent" else 0) and min(pair) >= 0 \
                        and "minus" not in table.meaning(name) + table.meaning(total):
                    yield "%s %s is more than %s %s of '%s'" % (name, pair[0], total, pair[1], table.label(row))


def in_order(table):
    for name in table.units:
        if not re.search(r"(^|_)min_", name):
            continue
        chain = [name.replace("min_", part) for part in ("min_", "p50_", "p90_", "p99_", "max_")]
        mean = name.replace("min_", "avg_")
        mean = mean if mean in table.units else name.replace("min_", "mean_")
        for row in table.rows:
            values = numbers(row, *[part for part in chain if part in table.units])
            # percentiles are of classes that are 1 % wide
            if values and any(first > second * 1.01 + 1 for first, second in zip(values, values[1:])):
                yield "%s ... %s of '%s' are not in order: %s" % (chain[0], chain[-1], table.label(row), values)
            values = numbers(row, chain[0], mean, chain[-1])
            if values and not values[0] <= values[1] + 1 <= values[2] + 2:
                yield "%s of '%s' is not between least and most: %s" % (mean, table.label(row), values)


def wholes(table):
    for total, *columns in WHOLES.get(table.report, ()):
        for row in [*table.rows, table.totals]:
            # the parts of some steps are known (INTERCEPT_BUDGET)
            in_part = total == "total_ns" and "detailed_ns" in row and "running_ns" not in columns
            whole = "detailed_ns" if in_part else total
            # phases of the host may be known of more steps than work of the GPU (INTERCEPT_GPU_STEPS)
            if in_part and "forward_ns" in columns and row.get("with_phases_ns") is not None:
                whole = "with_phases_ns"
            if any(row.get(column[1:]) for column in columns if column[0] == "!"):
                continue
            parts = [column.lstrip("?") for column in columns
                     if column[0] != "!" and (column[0] != "?" or row.get(column[1:]) is not None)]
            present = [row[part] for part in parts if row.get(part) is not None]
            if row.get(whole) is not None and present and all(part in row or part not in table.units for part in parts):
                if len(present) == len([part for part in parts if part in row]) and sum(present) != row[whole] \
                        and not (row is not table.totals and set(parts) - set(row)):
                    yield "%s is %s, its parts are %s together (%s)" % (whole, row[whole], sum(present), table.label(row))


def added(table):
    """Rows add up to the total of the same name; of nccl those of kernels have totals of their own."""
    rows = [row for row in table.rows if row.get("backend") != "GPU"]
    for name in table.columns("count", "bytes", "ns"):
        if table.name in NOT_SUMS or not isinstance(table.totals.get(name), (int, float)) or NOT_ADDED.search(name) or not rows:
            continue
        inclusive = INCLUSIVE.search(name) and any(other.startswith("self_") or other == "depth" for other in table.units)
        values = [row[name] for row in rows if isinstance(row.get(name), (int, float))] if table.has("backend") else list(table.values(name))
        if name == "events_lost": # by whom is not known of each
            values[0] += sum(loss["count"] for loss in table.losses if loss.get("process") is None and loss.get("count"))
        total = table.totals[name]
        if table.report == "device-memory": # its totals of peaks and of what is left are the device's; the host has its own
            total += table.totals.get(name.replace("live", "host_live"), 0) if "live" in name else 0
        rounded = len(values) if table.units[name] == "ns" else 0
        if not inclusive and len(values) == len(rows) and abs(sum(values) - total) > rounded:
            yield "%s of all rows is %s, the total says %s" % (name, sum(values), total)


def tree(table):
    """A tree of rows: what is below one, and itself, is its total."""
    if not table.has("depth", "total", "self"):
        return
    open_rows = []
    for row in [*table.rows, {"depth": 0, "total": 0, "self": 0}]:
        while open_rows and open_rows[-1][0]["depth"] >= row["depth"]:
            last, below = open_rows.pop()
            if below + last["self"] != last["total"]:
                yield "total of '%s' is %s; itself and below %s" % (table.label(last), last["total"], below + last["self"])
        if open_rows:
            open_rows[-1][1] += row["total"]
        open_rows.append([row, 0])


def roots(table):
    values = [row for row in table.rows if row.get("depth", 0) == 0]
    name = "total" if table.has("depth", "total") else "value" if table.report == "flame" else None
    if name and "total" in table.totals and sum(row[name] for row in values) != table.totals["total"] and table.rows:
        yield "the outermost rows have %s of %s" % (sum(row[name] for row in values), table.totals["total"])


def inside_run(table):
    end = table.session.get("end_ns")
    for name in table.columns("ns") if end else ():
        if not re.search(r"^(start|end|time|first|last)_ns$", name):
            continue
        for row in table.rows:
            value = row.get(name)
            if isinstance(value, (int, float)) and not 0 <= value <= end:
                yield "%s %s of '%s' is outside of the run, which ended at %s" % (name, value, table.label(row), end)
    for row in table.rows if table.has("start_ns") else ():
        length = row.get("end_ns", 0) if table.has("end_ns") else None
        if length is not None and numbers(row, "start_ns", "end_ns") and row["start_ns"] > row["end_ns"]:
            yield "'%s' ends before it starts" % table.label(row)
        for name in ("total_ns", "duration_ns"):
            pair = numbers(row, "start_ns", name)
            if pair and end and sum(pair) > end:
                yield "'%s' ends at %s, after the run at %s" % (table.label(row), sum(pair), end)


def longest(table):
    """One call, or one range, is not longer than the run."""
    end = table.session.get("end_ns")
    for name in table.columns("ns") if end else ():
        if re.search(r"(^|_)(max|min|p\d\d|avg|mean|skew_max)_", name):
            most = max(table.values(name), default=0)
            if most > end * 1.01:
                yield "%s is %s in a run of %s" % (name, most, end)


LOCAL = (shares, not_negative, self_within_total, in_order, wholes, added, tree, roots, inside_run, longest)


# Words of advice about what a thread does where another one of autograd's works for it.
HANDED_OVER = re.compile(r"_engine_run_backward|after aten::ones_like and before \S*Backward")
# Advice about work, whoever does it: launches, and CPU time, which is that of autograd's threads too.
OF_WORK = {"launch_bound", "hot_line"}


def has_autograd_threads(tables):
    """Backward passes ran on threads of autograd's, so that others waited for them."""
    threads = tables.get("threads")
    return any(row.get("operators") and (row.get("name") or "").startswith("pt_autograd_") for row in threads.rows) if threads else False


def no_wait_is_a_place(tables):
    """No advice names a place where the step's thread waits while a thread of autograd's runs the step's work."""
    table = tables.get("bottleneck")
    if not table or not has_autograd_threads(tables):
        return
    for row in table.rows:
        place = "%s %s" % (row.get("function"), row.get("text"))
        if row.get("id") not in OF_WORK and HANDED_OVER.search(place):
            yield table, "%s is about the wait for backward: %s" % (row.get("id"), row["text"])


def has_workers(tables):
    """A DataLoader's worker was recorded, or its iterator says that there are some."""
    threads, ops = tables.get("threads"), tables.get("ops")
    return any(row.get("name") == "pt_data_worker" for row in (threads.rows if threads else ())) \
        or any("_MultiProcessingDataLoaderIter" in (row.get("name") or "") for row in (ops.rows if ops else ()))


def runnable(tables):
    threads = tables.get("threads")
    # of a part of the run nobody knows it by thread
    return not threads or threads.run.cut or sum(row.get("runnable_ns") or 0 for row in threads.rows)


def has_launches(tables):
    # sums of a cut recording are left out of `kernels`, and steps still count their launches
    return any(tables[name].rows for name in ("launches", "kernels", "graphs") if name in tables) \
        or "steps" in tables and any(value for name, value in tables["steps"].totals.items() if name.endswith("_launches"))


# What advice may say only where the recording bears it out: words, and what the reports must show.
BORNE_OUT = (
    (r"num_workers|[Nn]o worker process", "no worker", lambda tables: not has_workers(tables)),
    (r"its worker processes were not recorded", "a loader with workers", has_workers),
    (r"machine is busy|had no CPU", "threads that were ready to run", runnable),
    (r"INTERCEPT_FULL", "a ring that was full",
     lambda tables: any(loss.get("reason") == "ring full" for loss in tables["bottleneck"].losses)),
    (r"CUDA graphs|[Ll]aunches|the GPU (is|was) idle", "launches", has_launches),
    (r"had the mutex|had the GIL|waited for the GIL|waits for a lock", "samples",
     lambda tables: "lines" in tables and tables["lines"].rows),
    (r"started '.*' [\d,]+ time", "a wait for a child", lambda tables: any(row["id"] == "child_process" for row in tables["bottleneck"].rows)),
    (r"float64", "its time", lambda tables: any(row["id"] == "double_precision" and row["value"] > 0 for row in tables["bottleneck"].rows)),
)
GUESS = 20  # samples: what rests on fewer is called a guess


def advice_is_borne_out(tables):
    """No note stands before a cause, no sentence says what was not recorded, and what rests on few samples is a guess."""
    table = tables.get("bottleneck")
    if not table:
        return
    severities = [row.get("severity") for row in table.rows]
    if "note" in severities and set(severities[severities.index("note"):]) != {"note"}:
        yield table, "a note stands before a cause: %s" % [(row["id"], row["severity"]) for row in table.rows]
    for row in table.rows:
        said = "%s %s" % (row.get("text"), row.get("todo"))
        for words, needed, holds in BORNE_OUT:
            if re.search(words, said) and not holds(tables):
                yield table, "%s says '%s' without %s" % (row["id"], re.search(words, said).group(), needed)
        if row.get("samples") and row["samples"] < GUESS and row["severity"] != "note" and "guess" not in said:
            yield table, "%s rests on %s samples and is no guess: %s" % (row["id"], row["samples"], row["text"])
        whole = (tables["summary"].totals.get("wall_ns") or 0) if "summary" in tables else 0
        if row.get("stake_percent") is not None and whole and row.get("stake_ns") and row["stake_ns"] > whole * max(len(tables["processes"].rows), 1):
            yield table, "%s has %s at stake in a run of %s" % (row["id"], row["stake_ns"], whole)


# Samples stand for the time since the one before: at the edges of a life that is some more.
def slack(life):
    return life * 0.01 + 50e6


# Before it can say that it began, a thread waits for its first CPU: the kernel counts that as runnable.
def most_of(row, life, names):
    return row.get("end_ns") or 0 if "runnable_ns" in names else life


def lives(tables):
    """CPU time, waits and calls of a thread, or a process, are no longer than it lived."""
    threads, processes = tables.get("threads"), tables.get("processes")
    if not threads or not processes:
        return
    cores = int(threads.session.get("meta", {}).get("cores") or 0)
    for row in threads.rows:
        life = (row.get("end_ns") or 0) - (row.get("start_ns") or 0)
        for names in (("cpu_ns",), ("runnable_ns",), ("blocked_ns",), ("cuda_ns",), ("cpu_ns", "runnable_ns", "blocked_ns")):
            values = numbers(row, *names)
            if values and sum(values) > most_of(row, life, names) + slack(life):
                yield threads, "%s of '%s' are %s, it lived %s" % ("+".join(names), threads.label(row), sum(values), life)
    for row in processes.rows:
        life = (row.get("end_ns") or 0) - (row.get("start_ns") or 0)
        count = row.get("threads") or 1
        if numbers(row, "cpu_ns") and cores and row["cpu_ns"] > (life + slack(life)) * cores:
            yield processes, "cpu_ns of '%s' is %s, it lived %s on %s cores" % (processes.label(row), row["cpu_ns"], life, cores)
        if row.get("cpu_ns") == 0:
            yield processes, "cpu_ns of '%s' is 0: what is not known is empty" % processes.label(row)
        for names in (("runnable_ns",), ("blocked_ns",), ("cuda_ns",), ("runnable_ns", "blocked_ns")):
            values = numbers(row, *names)
            if values and sum(values) > (most_of(row, life, names) + slack(life)) * count:
                yield processes, "%s of '%s' are %s, it lived %s with %s threads" % ("+".join(names), processes.label(row), sum(values), life, count)


def of_threads(table, tables):
    """What a report says of a thread (--by thread): no time is longer than its life."""
    threads = {(row.get("pid"), row.get("tid")): row for row in tables["threads"].rows}
    most = max(len(threads), 1)
    for row in table.rows:
        thread = threads.get((row.get("pid"), row.get("thread")))
        if not thread or not numbers(thread, "start_ns", "end_ns"):
            continue
        life = thread["end_ns"] - thread["start_ns"]
        for name in table.columns("ns"):
            value = row.get(name)
            if not isinstance(value, (int, float)) or re.search(r"(^|_)gpu_|^(start|end|time|first|last)_ns$", name):
                continue
            limit = (life + slack(life)) * (most if "others" in table.meaning(name) else 1)
            if value > limit:
                yield "%s of thread %s is %s, it lived %s" % (name, row.get("thread"), value, life)


def whole_blocks(tables, pair):
    """By how much a sum over threads may be less: of a sampled heap, each has whole blocks, and a fraction that is not shown."""
    sampled = tables["alloc"].totals.get("sampled_allocations") if "alloc" in tables else None
    return len(tables["threads"].rows) if sampled and pair[0] == "threads.allocations" else 0


def same(tables):
    cut = any(table.run.cut for table in tables.values())
    for pair in SAME if cut else SAME + SAME_WHOLE:
        values = []
        for name in pair:
            report, total = name.split(".")
            table = tables.get(report)
            has_looked = table and (table.rows or report != "memory")  # memory without rows has not
            said = [table.totals.get(word) for word in total.split("|")] if has_looked else []
            values.append(next((value for value in said if value is not None), None))
        if None not in values and abs(values[0] - values[1]) > whole_blocks(tables, pair):
            yield tables[pair[0].split(".")[0]], "%s is %s, %s is %s" % (pair[0], values[0], pair[1], values[1])


def at_the_end(tables):
    """What of memory is said to be there at the end is what the others say of that moment."""
    memory, alloc = tables.get("memory"), tables.get("alloc")
    if not memory or not alloc or not memory.rows or not memory.has("kind") or len(tables["processes"].rows) != 1:
        return
    heap = [row["end_bytes"] for row in memory.rows if str(row.get("kind")).startswith(("heap: blocks", "heap: tensors")) and row.get("end_bytes") is not None]
    live = alloc.totals.get("live_bytes")
    if heap and live is not None and sum(heap) != live:
        yield memory, "heap and tensors at the end are %s, alloc and leaks say %s" % (sum(heap), live)


def gil(tables):
    """One thread at a time has the GIL."""
    table = tables.get("gil")
    if table and len(tables["processes"].rows) == 1 and table.totals.get("held_ns"):
        life = tables["summary"].totals.get("wall_ns") or 0
        if table.totals["held_ns"] > life + slack(life):
            yield table, "held_ns is %s in a run of %s" % (table.totals["held_ns"], life)


def sampled(tables):
    """CPU time of samples is no more than the processes had. Of one that was killed nobody asked after the last look."""
    cpu = tables["summary"].totals.get("cpu_ns") if "summary" in tables else None
    if any((row.get("exit_status") or 0) > 128 for row in tables["processes"].rows):
        return
    for name in ("lines", "native"):
        table = tables.get(name)
        value = table.totals.get("cpu_ns") if table else None
        if cpu and value and value > cpu + slack(cpu):
            yield table, "cpu_ns is %s, the processes had %s" % (value, cpu)


ACROSS = (lives, same, at_the_end, gil, sampled, no_wait_is_a_place, advice_is_borne_out)


class Run:
    """All reports of one recording."""

    read_files = set()
    keys_of = {}  # of a report: every recording has the same

    def __init__(self, program, path, options=()):
        self.program, self.path, self.cut, self.options = program, path, False, options

    def read(self, *options):
        """What `export json` writes, report by report."""
        # in memory where there is such a folder: sixty files, which are read once
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
            done = run(self.program, "export", "json", self.path, "-o", folder + "/out", "--wait", "60", *self.options, *options)
            documents = []
            for name in sorted(os.listdir(folder + "/out")) if os.path.isdir(folder + "/out") else ():
                with open(os.path.join(folder, "out", name), encoding="utf-8", errors="replace") as file:
                    documents.append(json.load(file))
        # with a file come the others of its session
        self.read_files.update(os.path.realpath(file["path"]) for document in documents for file in document.get("files") or ())
        return documents

    def tables(self, documents):
        """The tables by report; none of a recording of which nothing has to hold."""
        if any(document.get("faults") or any(loss.get("reason") == "ring overwritten" for loss in document.get("losses") or ())
               or any(file.get("live") for file in document.get("files") or ()) for document in documents):
            return {}
        return {document["report"]: Table(self, document) for document in documents}

    def by_key(self, tables, wanted):
        """(key, table) of reports with rows; `wanted` None: of every key that they have."""
        for report in tables:
            if not tables[report].rows or report == "threads":
                continue
            if report not in self.keys_of:
                said = run(self.program, report, "--by", "no-such-key").stderr
                self.keys_of[report] = re.findall(r"[a-z_]+", said.split("is not one of")[1]) if "is not one of" in said else []
            keys = self.keys_of[report]
            for key in keys if wanted is None else set(keys) & wanted:
                done = run(self.program, report, "--by", key, "--format", "json", "--limit", "0", self.path)
                if done.stdout:
                    yield key, Table(self, json.loads(done.stdout), "%s --by %s" % (report, key))

    def read_by_people(self, tables):
        """Shares in tables and in the sentences around them."""
        for report in tables:
            for line in run(self.program, report, "--limit", "0", "--width", "400", self.path).stdout.splitlines():
                for share in re.findall(r"(?<![\w.])([\d,]+(?:\.\d+)?) ?%", line):
                    if float(share.replace(",", "")) > 100:
                        yield "%s %% in '%s'" % (share, line.strip()[:200])

    def faults(self, deep, keys):
        """(report, fault) pairs."""
        tables = self.tables(self.read())
        yield from judge(tables)
        if keys:
            yield from (("text", fault) for fault in self.read_by_people(tables))
        for key, table in self.by_key(tables, None if keys else {"thread"}) if deep or keys else ():
            for rule in LOCAL:
                yield from ((table.name, fault) for fault in rule(table))
            if key == "thread":
                yield from ((table.name, fault) for fault in of_threads(table, tables))
        if not deep or not tables:
            return
        half = int((tables["summary"].session.get("end_ns") or 0) / 2)
        for part in ("..%dns" % half, "%dns.." % half):
            self.cut = True
            cut = self.tables(self.read("--time", part))
            yield from (("%s --time %s" % (report, part), fault) for report, fault in judge(cut))


def judge(tables):
    if not tables:
        return
    for table in tables.values():
        for rule in LOCAL:
            yield from ((table.name, fault) for fault in rule(table))
    for rule in ACROSS:
        yield from ((table.name, fault) for table, fault in rule(tables))


def is_known(report, fault):
    return any(re.search(known, report) and re.search(what, fault) for known, what, _ in KNOWN)


def recordings(path):
    if not os.path.isdir(path):
        return [path]
    found = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if re.search(r"\.evt(\.|$)", name)]
    sizes = sorted((os.path.getsize(file), file) for file in found if os.path.isfile(file) and not os.path.islink(file))
    left, files = FOLDER_BYTES, []
    for size, file in sizes:
        left -= size
        if size and left >= 0:
            files.append(file)
    return [files[i * (len(files) - 1) // (FOLDER_FILES - 1)] for i in range(FOLDER_FILES)] if len(files) > FOLDER_FILES else files


def main():
    gc.disable()  # it looks for circles among a million rows, again and again, and there are none
    arguments = sys.argv[1:]
    deep, keys, everything = "--deep" in arguments, "--keys" in arguments, "--all" in arguments
    program, *paths = [word for word in arguments if word not in ("--deep", "--keys", "--all")]
    found = 0
    for path, options in [(file, ("--symbols", "off") * os.path.isdir(path)) for path in paths for file in recordings(path)]:
        if os.path.realpath(path) in Run.read_files:
            continue
        for report, fault in Run(program, path, options).faults(deep, keys):
            if everything or not is_known(report, fault):
                found += 1
                print("%s: %s: %s" % (path, report, fault))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
