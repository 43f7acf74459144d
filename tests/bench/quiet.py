# SPDX-License-Identifier: MIT
"""quiet.py BUILD [SECONDS]: what the collector costs while the program sleeps, with the defaults and with light.

CPU time is the kernel's (schedstat), over 20 s by default, after the first seconds; so it is right on a busy machine, too.
"""

import os, subprocess, sys, tempfile, time

build, seconds = os.path.realpath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 20.0


def collector_of(path):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == "intercept-collector" and any(
                    os.readlink(f"/proc/{pid}/fd/{number}") == path for number in os.listdir(f"/proc/{pid}/fd")):
                return pid
        except OSError:
            continue
    return None


def used(pid):
    with open(f"/proc/{pid}/schedstat") as file:
        cpu, _, turns = file.read().split()
    return int(cpu), int(turns), time.monotonic_ns()


for preset in ("", "light"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(os.path.realpath(folder), "run.evt")
        environment = dict(os.environ, LD_PRELOAD=os.path.join(build, "libintercept.so"), INTERCEPT_OUTPUT=path)
        if preset:
            environment["INTERCEPT_PRESET"] = preset
        program = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], env=environment, stdin=subprocess.PIPE)
        while not (collector := collector_of(path)):
            time.sleep(0.5)
        time.sleep(4)
        before = used(collector)
        time.sleep(seconds)
        after = used(collector)
        ns = after[2] - before[2]
        print(f"{preset or 'default'}: {100 * (after[0] - before[0]) / ns:.2f} % of a CPU, on a CPU {1e9 * (after[1] - before[1]) / ns:.0f} times a second")
        program.communicate()
