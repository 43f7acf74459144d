# SPDX-License-Identifier: MIT
# A million small objects live for ever, and each full garbage collection looks at all of them.
# first: gc_pauses
# line: gc_pauses.py:17
# trace: nvtx,torch,gc
# step: step
import collections

from stepping import steps

last = collections.deque(maxlen=12)  # batches come and go: memory does not grow


def load_batch():
    rows = []
    for number in range(40_000):
        rows.append([number])
    return rows


if __name__ == "__main__":
    kept = [[number] for number in range(1_000_000)]
    for _ in steps(60):
        last.append(load_batch())
