# SPDX-License-Identifier: MIT
# A server by threads with a cache that misses in one request of thirty: those ask a slow store.
# first: slow_requests
# line: server_slow_requests.py:11
import time

from serving import serve_threads


def ask_store(path):
    time.sleep(0.3)
    return path.encode()


def handle(path):
    if int(path[1:]) % 30 == 7:
        return ask_store(path)
    time.sleep(0.006)  # the model
    return path.encode()


serve_threads(handle, 300, 4)
