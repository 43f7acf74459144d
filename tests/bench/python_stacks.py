# SPDX-License-Identifier: MIT
"""usage: python_stacks.py same|line|call DEPTH PAIRS
PAIRS calls of malloc and free that a bytearray makes, from DEPTH functions of Python. same: from one line. line: from two lines
in turn. call: from a function that is called for each. Prints what the loop cost; bare, it is the interpreter's own."""
import json
import sys
import time

MODE, DEPTH, PAIRS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
SIZE = 1000  # more than Python's own allocator takes


def make():
    bytearray(SIZE)


def same(pairs):
    for _ in range(pairs):
        bytearray(SIZE)


def line(pairs):
    for _ in range(pairs // 2):
        bytearray(SIZE)
        bytearray(SIZE)


def call(pairs):
    for _ in range(pairs):
        make()


def descend(depth, work, pairs):
    if depth > 1:
        return descend(depth - 1, work, pairs)
    return work(pairs)


def main():
    work = {"same": same, "line": line, "call": call}[MODE]
    descend(DEPTH, work, 1000)
    wall, cpu = time.perf_counter_ns(), time.process_time_ns()
    descend(DEPTH, work, PAIRS)
    wall, cpu = time.perf_counter_ns() - wall, time.process_time_ns() - cpu
    print("result", json.dumps({"events": 2 * PAIRS, "wall_ns": wall, "cpu_ns": cpu}))


main()
