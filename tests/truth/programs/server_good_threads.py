# SPDX-License-Identifier: MIT
# A server by threads that is well: each asks a database of its own, and waits for it alone.
# first: none
import time

from serving import serve_threads


def handle(path):
    time.sleep(0.004)
    return path.encode()


serve_threads(handle, 500, 4)
