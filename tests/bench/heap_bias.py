# SPDX-License-Identifier: MIT
"""usage: heap_bias.py BUILD [RUNS] [EVERY]: is the sampled heap's estimate free of bias, and its error right?

Five kinds of allocations, RUNS (20) runs each with INTERCEPT_HEAP_EVERY=EVERY (64K). Each run draws its own random
numbers. For each run the estimate of the bytes, less what was really allocated, is divided by the standard error that
the report gives. Without bias the mean of these is 0 within 1 / sqrt(RUNS), and if the errors are right their spread
is 1 within 0.7 / sqrt(RUNS). Ratios of counts: the load of the machine does not matter.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
import ctypes, random, sys

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
draw = random.Random(1)  # the same sizes in each run
sizes = {
    "small": lambda: draw.randint(16, 256),
    "pages": lambda: 4096,
    "large": lambda: draw.randint(1 << 16, 1 << 20),
    "mixed": lambda: draw.choice((32, 700, 9000, 200000)),
    "skewed": lambda: min(int(24 * draw.paretovariate(0.9)), 1 << 22),
}[sys.argv[1]]
total = kept = 0
for number in range(2000 if sys.argv[1] == "large" else 20000):
    size = sizes()
    block = libc.malloc(size)
    total += size
    if number % 4 == 0:
        kept += size if size < 1 << 16 else 0
    if number % 4 or size >= 1 << 16:
        libc.free(block)
print(total, kept)
"""
KINDS = "small", "pages", "large", "mixed", "skewed"


def one(build, kind, every, folder):
    """-> (estimate - truth) / error, of all bytes; error / truth"""
    recording = os.path.join(folder, "run.evt")
    environment = dict(os.environ, LD_PRELOAD=os.path.join(build, "libintercept.so"), INTERCEPT_OUTPUT=recording,
                       INTERCEPT_HEAP_EVERY=every, INTERCEPT_TRACE="alloc", INTERCEPT_STACKS="caller")
    did = subprocess.run([sys.executable, "-c", PROGRAM, kind], env=environment, stdout=subprocess.PIPE, check=True)
    total = int(did.stdout.split()[0])
    report = subprocess.run([os.path.join(build, "prof-report"), "alloc", "--format", "json", "--limit", "0", recording],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    rows = [row for row in json.loads(report.stdout)["rows"] if "ffi" in row["caller"]]
    os.remove(recording)
    error = math.sqrt(sum(row["bytes_error"] ** 2 for row in rows))
    return (sum(row["bytes_allocated"] for row in rows) - total) / error, error / total


def main(build, runs="20", every="64K"):
    print("%-8s %14s %16s %18s" % ("kind", "error of a run", "mean, in errors", "spread, in errors"))
    everything = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            found = [one(os.path.abspath(build), kind, every, folder) for _ in range(int(runs))]
            away = [each[0] for each in found]
            everything += away
            print("%-8s %12.2f %% %7.2f +- %.2f %11.2f +- %.2f" % (
                kind, 100 * statistics.mean(each[1] for each in found), statistics.mean(away), 1 / math.sqrt(len(away)),
                statistics.pstdev(away), 0.7 / math.sqrt(len(away))), flush=True)
    print("%-8s %14s %7.2f +- %.2f %11.2f +- %.2f" % (
        "all", "", statistics.mean(everything), 1 / math.sqrt(len(everything)), statistics.pstdev(everything),
        0.7 / math.sqrt(len(everything))))


if __name__ == "__main__":
    main(*sys.argv[1:])
