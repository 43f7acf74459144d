# SPDX-License-Identifier: MIT
"""usage: window_steps.py BUILD [STEPS]: do operators take longer in the first step behind a switch of INTERCEPT_BUDGET?

Trains a small model for STEPS (6,000) steps with INTERCEPT_BUDGET=1/2,first=0. Compares, in each window, the time of all operators in one
of its first four steps with the median of the second to the fourth, so a machine that gets slower meanwhile does not matter. Prints the
median ratio of each position with its error. A call counts as three times the median of its operator at most: it was pushed off its CPU.
Run it with an interpreter that has PyTorch.
"""

import collections
import os
import statistics
import subprocess
import sys
import tempfile

POSITIONS = 4
PROGRAM = """
import sys, torch
torch.manual_seed(0)
torch.set_num_threads(1)
nn = torch.nn
net, given = nn.Sequential(*(nn.Linear(64, 64) for _ in range(6))), torch.randn(32, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-6)
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    net(given).square().mean().backward()
    optimizer.step()
"""


def calls_of(build, recording):
    """-> {operator: [(window, position, duration)]}, of operators that lie in one step of a window"""
    open_of, is_on, position, window = {}, False, -1, -1
    found = collections.defaultdict(list)
    dump = subprocess.Popen([os.path.join(build, "prof-report"), "dump", recording], stdout=subprocess.PIPE, text=True)
    for line in dump.stdout:
        words = line.split(None, 4)
        if words[2] == "detail_start":
            is_on, position, window = True, -1, window + 1
        elif words[2] == "detail_stop":
            is_on = False
        elif words[2] == "step":
            position += 1
        elif words[2].startswith("torch_begin"):
            name = line.split('name="')[1].split('"')[0]
            open_of.setdefault(words[1], []).append((name, int(words[0]), position, is_on))
        elif words[2] in ("torch_end", "torch_end_id", "torch_end_ex") and open_of.get(words[1]):
            name, begin, began_at, began_on = open_of[words[1]].pop()
            if began_on and began_at == position < POSITIONS and "Optimizer" not in name:
                found[name].append((window, position, int(words[0]) - begin))
    return found


def main(build, steps="6000"):
    build = os.path.abspath(build)
    with tempfile.TemporaryDirectory() as folder:
        recording = os.path.join(folder, "run.evt")
        environment = dict(os.environ, LD_PRELOAD=os.path.join(build, "libintercept.so"), INTERCEPT_OUTPUT=recording,
                           INTERCEPT_TRACE="torch", INTERCEPT_BUDGET="1/2,first=0")
        subprocess.run([sys.executable, "-c", PROGRAM, steps], env=environment, check=True)
        windows = collections.defaultdict(lambda: [0] * POSITIONS)
        for calls in calls_of(build, recording).values():
            most = 3 * statistics.median(ns for _, _, ns in calls)
            for window, position, ns in calls:
                windows[window][position] += min(ns, most)
    whole = [sums for sums in windows.values() if min(sums)]
    for position in range(POSITIONS):
        ratios = [sums[position] / statistics.median(sums[1:]) for sums in whole]
        spread = statistics.pstdev(ratio for ratio in ratios if 0.5 < ratio < 2)
        print("step %d of a window: %.4f +- %.4f (%d windows)" % (
            position + 1, statistics.median(ratios), 1.2533 * spread / len(ratios) ** 0.5, len(ratios)))


if __name__ == "__main__":
    main(*sys.argv[1:])
