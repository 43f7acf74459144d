# SPDX-License-Identifier: MIT
"""usage: python_blocks.py trace FILE | keep | free
Objects of all sizes and kinds, made on known lines, some kept and some not. `trace`: writes what tracemalloc says lives of each
line of this file. `keep`: ends at once, so that it all still lives.

On lines marked `same` no object comes from the interpreter's lists of free ones, which tracemalloc gives to
the line that reuses them. On those marked `all` no function is called, for which memray's profile function makes more objects."""
import gc
import json
import os
import sys
import threading

KEPT = []


class Slotted:
    __slots__ = ("a", "b")


def small():
    for i in range(3000):
        KEPT.append(b"%d of many" % i)  # same
        b"%d dropped" % i  # all


def large():
    for i in range(200):
        KEPT.append(bytes(600 + i))
        KEPT.append(bytearray(5000 + i))  # same


def grown():
    text = bytearray()  # same, all
    for i in range(5000):
        text += b"0123456789"  # same, all
    KEPT.append(text)
    row = []
    for i in range(1000, 6000):
        row.append(i)
    del row[1000:]  # same, all
    slots = [None] * 4000  # all
    for i in range(4000):
        slots[i] = b"%d in a slot" % i  # same, all
    KEPT.append(slots)
    KEPT.append(row)


def objects():
    for i in range(500):
        KEPT.append(Slotted())  # same
    KEPT.extend([str(i) * 2 for i in range(1000, 2000)])
    numbers = list(range(1000, 3000))  # so that the next line makes none: 3.14 keeps some for reuse
    KEPT.append({"key %d" % i: None for i in numbers})  # same


def in_thread():
    KEPT.extend([b"thread %d" % i for i in range(700)])


def work():
    small()
    large()
    grown()
    objects()
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()


def main():
    if sys.argv[1] == "trace":
        import tracemalloc
    gc.collect()  # the interpreter's lists of free objects are empty
    if sys.argv[1] == "trace" and not tracemalloc.is_tracing():
        tracemalloc.start()
    work()
    if sys.argv[1] == "free":
        return
    if sys.argv[1] == "trace":
        traces = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, __file__)])
        lives = {s.traceback[0].lineno: [s.count, s.size] for s in traces.statistics("lineno")}
        with open(sys.argv[2], "w") as out:
            json.dump(lives, out)
    os._exit(0)


main()
