# SPDX-License-Identifier: MIT
# A server by threads that polls for its result with a fixed sleep, in each request.
# first: request_waits
# line: server_sleeps.py:11
import time

from serving import serve_threads


def wait_for_result(path):
    time.sleep(0.06)  # instead of an event
    return path.encode()


def handle(path):
    return wait_for_result(path).upper()


serve_threads(handle, 120, 4)
