# SPDX-License-Identifier: MIT
"""usage: functions.py bare|cprofile CALLS PASSES
CALLS calls of an empty function, PASSES times; prints the least CPU time of a call, in ns. Under INTERCEPT_TRACE=+functions,-alloc
`bare` is what recording costs; `cprofile` is the same loop under cProfile."""
import json
import sys
import time

MODE, CALLS, PASSES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def empty():
    pass


def loop():
    for _ in range(CALLS):
        empty()


def main():
    least = None
    if MODE == "cprofile":
        import cProfile
        cProfile.Profile().enable()
    for _ in range(PASSES):
        cpu = time.process_time_ns()
        loop()
        cpu = time.process_time_ns() - cpu
        least = cpu if least is None else min(least, cpu)
    print("result", json.dumps({"call_ns": least / CALLS}))


main()
