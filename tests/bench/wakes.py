#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""wakes.py PROF-REPORT LIBRARY PYTHON [--hz N] [--busy N] [--runs N] [HOW:WORK_US...]

Compares the CPU shares of `lines` with the thread's own clock around each call, in threads that wake others (tests/programs/wakes.py):
server, pipe and lock, with 60 and 600 us of work each. --busy starts that many loops beside it, 2 unless said. Prints for each part its
share by the clock / by `lines`, in per cent, and the difference of the means in points, with what chance allows: twice the standard
error of that mean, from the spread between the runs. PYTHON needs uvicorn for `server`.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "wakes.py")
PART = {"select": "wait", "write": "wake"}  # functions of asyncio, for what their callers here are called
WORK_S = 4


# A line that asks the thread's clock belongs by halves to the parts before and behind it: which moment of that call it tells is not known.
HALVES = (
    ("waited = clock()", "wait", "work"),
    ("worked = clock()", "work", "wake"),
    ("woken = clock()", "wake", "wait"),
    ("before = time.thread_time_ns()", "rest", "work"),
    ('spent["work"] += time.thread_time_ns() - before', "work", "rest"),
    ("before = clock()", "rest", None),  # None: the part that the function is called
    ("spent[name] += clock() - before", None, "rest"),
)


def halves_of(row):
    if not (row["file"] or "").endswith("wakes.py") or not row["line"]:
        return ()
    with open(PROGRAM, encoding="utf-8") as file:
        text = file.read().splitlines()[row["line"] - 1].strip()
    return [name or row["function"] for line, *names in HALVES if line == text for name in names]


def parts_of(rows, clock):
    got = dict.fromkeys(clock, 0)
    for row in rows:
        name = PART.get(row["function"], row["function"])
        halves = halves_of(row)
        if len(halves) == 2 and all(half in got for half in halves):
            for half in halves:
                got[half] += row["cpu_ns"] / 2
        elif name in got:
            got[name] += row["cpu_ns"]
        elif "rest" in got and row["function"] != "<module>" and "importlib" not in row["file"]:
            got["rest"] += row["cpu_ns"]
        elif row["function"] == "turns":
            got["work"] += row["cpu_ns"]
    return got


def run(options, how, work_us, folder):
    output, clock = (os.path.join(folder, name) for name in ("run.evt", "clock.json"))
    turns = WORK_S * 1000000 // (2 * work_us if how != "server" else work_us + 250)
    environment = dict(os.environ, LD_PRELOAD=options.library, INTERCEPT_OUTPUT=output, INTERCEPT_TRACE="nvtx", INTERCEPT_SAMPLE=str(options.hz), INTERCEPT_KEEP="0")
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        subprocess.run([options.python, PROGRAM, how, str(work_us), str(turns), clock], env=environment, check=True, timeout=200)
    finally:
        for loop in busy:
            loop.kill()
            loop.wait()
    said = subprocess.run([options.report, "lines", "--wait", "60", "--frames", "all", "--limit", "0", "--format", "json", output], capture_output=True, text=True, check=True)
    lines = json.loads(said.stdout)
    with open(clock, encoding="utf-8") as file:
        truth = json.load(file)
    return truth, parts_of(lines["rows"], truth), lines["totals"]


def mean_of(name, shares):
    off = [sampled - clock for clock, sampled in shares]
    means = [statistics.mean(share) for share in zip(*shares)]
    chance = 2 * statistics.stdev(off) / len(off) ** 0.5 if len(off) > 1 else float("nan")
    return "%s %.1f / %.1f: off by %+.1f, by chance %.1f" % (name, *means, means[1] - means[0], chance)


def main():
    parser = argparse.ArgumentParser()
    for name in ("report", "library", "python"):
        parser.add_argument(name)
    for name, value in (("--hz", 200), ("--busy", 2), ("--runs", 1)):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("what", nargs="*")
    options = parser.parse_intermixed_args()
    what = options.what or [how + ":" + us for how in ("server", "pipe", "lock") for us in ("60", "600")]
    with tempfile.TemporaryDirectory() as folder:
        for how, us in (name.split(":") for name in what):
            runs = []
            for _ in range(options.runs):
                truth, got, totals = run(options, how, int(us), folder)
                shares = {name: (100 * truth[name] / sum(truth.values()), 100 * got[name] / max(1, sum(got.values()))) for name in truth}
                print(how, us, "us:", ", ".join("%s %.1f / %.1f" % (name, *share) for name, share in shares.items()), end=" ")
                print("(%d of %d looks, doubt %.0f %%)" % (totals["cpu_samples"], totals["samples"], 100 * totals["cpu_doubt_ns"] / max(1, totals["cpu_ns"])), flush=True)
                runs.append(shares)
            print(how, us, "us, mean of %d:" % options.runs, ", ".join(mean_of(name, [shares[name] for shares in runs]) for name in runs[0]), flush=True)


main()
