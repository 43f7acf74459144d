# SPDX-License-Identifier: MIT
"""usage: drawn_means.py BUILD [STEPS] [N]: are means of operators over drawn steps those over all steps?

Trains three small models with each operator recorded, STEPS (1,000) steps each, draws steps as INTERCEPT_BUDGET=1/N (8)
does (preload/settings/budget.c: blocks of four, by the hash of their number), and compares the mean duration of each
operator over the drawn steps with that over all, in the same run. A call that took more than ten times the median of its
operator was pushed off its CPU, and is left out of both. Then one training with that budget in which every hundredth step waits for 30 ms: how many of them are among as many longest steps.
Run it with an interpreter that has PyTorch.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = """
import sys, time, torch
torch.manual_seed(0)
torch.set_num_threads(1)
kind, steps, slow = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
nn = torch.nn
if kind == "linear":
    net, given = nn.Sequential(*(nn.Linear(64, 64) for _ in range(6))), torch.randn(32, 64)
elif kind == "convolution":
    net, given = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8)), torch.randn(4, 3, 16, 16)
else:
    net, given = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0), torch.randn(8, 4, 32)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
for step in range(steps):
    optimizer.zero_grad()
    if slow and step % slow == slow - 1:
        time.sleep(0.03)
    net(given).square().mean().backward()
    optimizer.step()
"""


def drawn(step, one_in):
    number, mask = step // 4 + 0x9E3779B97F4A7C15, (1 << 64) - 1
    number &= mask
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & mask
    number = (number ^ number >> 27) * 0x94D049BB133111EB & mask
    return (number ^ number >> 31) >> 32 < (1 << 32) // one_in


def record(build, folder, kind, steps, slow, **settings):
    recording = os.path.join(folder, "run.evt")
    environment = dict(os.environ, LD_PRELOAD=os.path.join(build, "libintercept.so"), INTERCEPT_OUTPUT=recording,
                       INTERCEPT_TRACE="torch", **settings)
    subprocess.run([sys.executable, "-c", PROGRAM, kind, str(steps), str(slow)], env=environment, check=True)
    return recording


def by_step(build, recording):
    """-> {operator: {step: [durations]}}, of operators that begin and end on their thread in one step"""
    open_of, step, found = {}, -1, {}
    dump = subprocess.Popen([os.path.join(build, "prof-report"), "dump", recording], stdout=subprocess.PIPE, text=True)
    for line in dump.stdout:
        words = line.split(None, 4)
        if words[2] == "step":
            step = int(line.split("number=")[1].split()[0])
        elif words[2].startswith("torch_begin"):
            open_of.setdefault(words[1], []).append((line.split('name="')[1].split('"')[0], int(words[0]), step))
        elif words[2] in ("torch_end", "torch_end_id") and open_of.get(words[1]):
            name, begin, began_in = open_of[words[1]].pop()
            if began_in == step >= 0:
                found.setdefault(name, {}).setdefault(step, []).append(int(words[0]) - begin)
    return found


def compare(build, recording, one_in, steps):
    """-> [(relative difference, its standard error)] of operators that are called in each step"""
    for name, at in sorted(by_step(build, recording).items()):
        if len(at) < 0.9 * steps or "Optimizer" in name:
            continue
        most = 10 * statistics.median(each for ns in at.values() for each in ns)
        at = {step: [each for each in ns if each <= most] for step, ns in at.items() if step >= 20}  # without the warm-up
        sums = {step: (sum(ns), len(ns)) for step, ns in at.items()}
        blocks = {}
        for step, (ns, calls) in sums.items():
            block = blocks.setdefault(step // 4, [0, 0])
            block[0] += ns
            block[1] += calls
        mean = sum(ns for ns, _ in blocks.values()) / sum(calls for _, calls in blocks.values())
        picked = [block for number, block in blocks.items() if drawn(number * 4, one_in)]
        calls = sum(count for _, count in picked)
        got = sum(ns for ns, _ in picked) / calls
        # of a ratio, by blocks, for a sample without replacement
        spread = math.sqrt(sum((ns - got * count) ** 2 for ns, count in picked) * (1 - 1 / one_in)) / calls
        yield got / mean - 1, spread / mean


def main(build, steps="1000", one_in="8"):
    build, steps, one_in = os.path.abspath(build), int(steps), int(one_in)
    print("%-12s %9s %18s %16s %26s" % ("model", "operators", "|difference|, p50", "error, p50", "mean square, in errors"))
    with tempfile.TemporaryDirectory() as folder:
        for kind in "linear", "convolution", "attention":
            recording = record(build, folder, kind, steps, 0)
            found = list(compare(build, recording, one_in, steps))
            os.remove(recording)
            print("%-12s %9d %16.2f %% %14.2f %% %26.2f" % (
                kind, len(found), 100 * statistics.median(abs(away) for away, _ in found),
                100 * statistics.median(error for _, error in found),
                statistics.mean((away / error) ** 2 for away, error in found if error)), flush=True)
        recording = record(build, folder, "linear", steps, 100, INTERCEPT_BUDGET="1/%d,first=0" % one_in)
        report = subprocess.run([os.path.join(build, "prof-report"), "steps", "--format", "json", "--limit", "0", recording],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        report = json.loads(report.stdout)
        planted = {step for step in range(steps) if step % 100 == 99}
        longest = sorted(report["rows"][1:], key=lambda row: -row["total_ns"])[:len(planted)]
        listed = [row for row in report["rows"] if row["step"] in planted and row["total_ns"] >= 30e6]
        hits = {row["step"] for row in longest} & planted
        print("slow steps: %d of %d planted are listed with their 30 ms, %d of them among the %d longest of %d steps; "
              "%d steps have detail; the median takes %.2f ms" % (
                  len(listed), len(planted), len(hits), len(planted), steps, report["totals"].get("detailed", steps),
                  report["totals"]["p50_ns"] / 1e6))


if __name__ == "__main__":
    main(*sys.argv[1:])
