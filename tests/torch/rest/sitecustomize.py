# SPDX-License-Identifier: MIT
"""On PYTHONPATH: a program with torch ends when its other threads have come to rest.

PyTorch aborts at its end, with nothing preloaded too, while autograd's thread of a device still drops the last graph (pytorch
issue 190489; seen once in some 60 runs on a busy machine). So wait until all other threads sleep, and have not run between two looks.
"""

import atexit
import os
import sys
import time

try:  # of the folders of PYTHONPATH only the first has its sitecustomize read
    import eager  # noqa: F401
except ImportError:
    pass


def others():
    found = {}
    for thread in os.listdir("/proc/self/task"):
        if int(thread) == os.getpid():
            continue
        try:
            with open("/proc/self/task/%s/status" % thread) as file:
                found[thread] = file.read()
        except OSError:  # it has just ended
            pass
    return found


def rest():
    before = None
    while "torch" in sys.modules:
        now = others()
        if now == before and not any("(running)" in status for status in now.values()):
            return
        before = now
        time.sleep(0.05)


atexit.register(rest)
