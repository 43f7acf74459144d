#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: cuts.py PROF_REPORT CUTS FILE [OPTION...]

A recording is cut in two at the times of its events, at most CUTS of them: what the reports say with --time ..T and with
--time T.. must add up to what they say of the whole, row by row and column by column. With OPTIONs (--range NAME) the whole
is what is selected by them. After that: what is said of each step by itself adds up to what is said of all steps, and
what is said of each rank to what is said of all ranks. All reports are compared that `export json` writes, in all columns
that have bytes, times and counts. What does not add up by its meaning stands in NOT_ADDED, with the reason. Prints what is
wrong, exit status 1.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

OF_A_MOMENT = "it is there at a moment, not in a time"
OF_A_WHOLE = "it is of all the rows that are shown"
OF_A_LIFE = "it is of a whole life, and empty of a part"
OF_A_FILE = "it is of the whole file"
DISTINCT = "one that did something in both parts counts in both"
BETWEEN = "it lies between work of the one part and work of the other, or both overlap"
NOT_ADDED = {  # REPORT.COLUMN, as regular expressions
    r".*\.(.*_)?(peak|max|min|avg|mean|stddev|p\d\d|depth|start|end|first|last|percall)_.*": OF_A_MOMENT,
    r".*\.(max|min|avg|mean|stddev|depth|step|idx|first|last|start|end|time)(_ns)?": OF_A_MOMENT,
    r"utilization\.queue_.*|.*\.live_(bytes|allocations)|.*\.(total|cupti|estimated)_live_bytes": OF_A_MOMENT,
    r"(leaks|peak|memory|stuck)\..*": OF_A_MOMENT,
    r"clocks\..*": "a host's clock is found by all of its calls",
    r"ranks\..*": "the first step of each part is left out",
    r"(bottleneck|summary)\..*": OF_A_WHOLE,
    r"step-diff\..*": "each part has other steps to compare",
    r"steps\.excess_ns|kernels\.sm_blocks|pyprof\.sil": OF_A_WHOLE,
    r"(threads|processes)\.((cpu|runnable|blocked|children)_ns|.*_switches|major_faults|disk_.*)": OF_A_LIFE,
    r"processes\.(events_lost|samples_.*|bytes_on_disk)": OF_A_FILE,
    r"(ops|processes)\.threads|nccl\.processes": DISTINCT,
    r"roofline\.(flops_rate|bytes_rate|intensity)": OF_A_WHOLE,
    r"device\..*|utilization\.(sm_mhz|power_w)": "a sample stands for the time before it, and the first of a part for none",
    r"gpu-idle\..*|utilization\.(busy|compute|copy|communication|overlap|idle|span)_ns": BETWEEN,
    r"alloc\.temporary_allocations": "the block's end may lie in the other part",
    r"functions\.(cumtime_ns|primitive_calls)": "a call within a call of the same function counts where that one does not",
    r"requests\.(per_second|answer_ns|piece_ns)": OF_A_WHOLE,
    r"requests\.(alone|cpu_ns|gc_ns|open|samples|(gil|lock|io|sleep|await|model|shared|gpu)_ns)": BETWEEN,
    r"imports\.cumulative_ns": "",
    r"waits\.short_.*": "these are counted without a time, so no part has them",
    r"modules\.(activation|parameter)_bytes": "of the backward pass with the most",
}
# What tells rows apart where that is not all their text.
KEYS = {"imports": ("module",), "steps": ("pid", "step"), "io": ("file",), "waits": ("function",)}
NO_KEYS = ("text", "calls", "value", "seems", "known", "parent")


class Reports:
    def __init__(self, program, path, *options):
        self.label = " ".join(options) or "all"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run((program, "export", "json", path, "-o", folder + "/out", *options), capture_output=True, text=True,
                                  check=False)
            names = os.listdir(folder + "/out") if os.path.isdir(folder + "/out") else []
            self.documents = [json.load(open(os.path.join(folder, "out", name), encoding="utf-8")) for name in names]
        self.said = done.stderr.strip()
        self.sums = {document["report"]: sums_of(document) for document in self.documents}


def is_added(report, column):
    return not any(re.fullmatch(name, "%s.%s" % (report, column)) for name in NOT_ADDED)


def sums_of(document):
    """{row: {column: sum, or None where one is not known}}"""
    report, sums = document["report"], {}
    units = {column["name"]: column["unit"] for column in document["columns"]}
    keys = KEYS.get(report) or [name for name, unit in units.items() if unit in ("text", "id") and name not in NO_KEYS]
    columns = [name for name, unit in units.items() if unit in ("ns", "bytes", "count") and is_added(report, name)]
    for row in document["rows"] or []:
        into = sums.setdefault(tuple(str(row.get(name)) for name in keys), dict.fromkeys(columns, 0))
        for name in columns:
            value = row.get(name)
            if not isinstance(value, str):
                into[name] = None if value is None or into[name] is None else into[name] + value
    return sums


def compare(whole, parts):
    wrong = 0
    for report, rows in whole.sums.items():
        # Where no action lies in a part, report actions goes on to labels and ranges.
        for key in rows if report == "actions" else set(rows).union(*(part.sums.get(report, {}) for part in parts)):
            of_parts = [part.sums.get(report, {}).get(key, {}) for part in parts]
            of_whole = rows.get(key, {})
            for column in set(of_whole).union(*of_parts):
                values = [part.get(column, 0) for part in of_parts]
                if of_whole.get(column, 0) is None or None in values or sum(values) == of_whole.get(column, 0):
                    continue
                wrong += 1
                print("%s: %s of %s is %s in %s; in %s: %s" % (report, column, "/".join(key)[:160], of_whole.get(column, 0), whole.label,
                                                              ", ".join(part.label for part in parts), values))
    return wrong


def event_times(program, path):
    text = subprocess.run([program, "dump", path], stdout=subprocess.PIPE, check=False).stdout.decode("utf-8", "replace")
    return sorted({int(line.split()[0]) for line in text.splitlines()
                   if len(line.split()) > 2 and line[0].isdigit() and ":" in line.split()[1]})


def halves(program, path, most, options):
    whole = Reports(program, path, *options)
    times = event_times(program, path)
    step = max(1, len(times) // most)
    for at_ns in times[step // 2::step]:
        yield whole, [Reports(program, path, *options, "--time", time) for time in ("..%dns" % at_ns, "%dns.." % at_ns)]


def rows_of(program, path, report):
    text = subprocess.run((program, report, path, "--format", "json", "--limit", "0"), capture_output=True, text=True, check=False).stdout
    return (json.loads(text)["rows"] if text else None) or []


def numbered(program, path, option, numbers):
    numbers = sorted(set(numbers))
    if len(numbers) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        yield (Reports(program, path, option, "%d..%d" % (numbers[0], numbers[-1])),
               [Reports(program, path, option, str(number)) for number in numbers])


def main():
    program, most, path, *options = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
    wrong = compared = 0
    cuts = [*halves(program, path, most, options)]
    if not options:
        cuts += numbered(program, path, "--step", [row["step"] for row in rows_of(program, path, "steps")][:12])
        cuts += numbered(program, path, "--rank", [row["rank"] for row in rows_of(program, path, "processes") if row["rank"] is not None])
    for whole, parts in cuts:
        if not whole.documents:
            sys.exit("%s: %s" % (path, whole.said))
        wrong += compare(whole, [part for part in parts if part.documents])
        compared += 1
    print(f"{compared} cuts, {wrong} wrong")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
