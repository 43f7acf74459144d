# SPDX-License-Identifier: MIT
# A server by threads whose model is used under one lock: each request waits for those of the others.
# first: lock_wait
# line: server_lock.py:14
import threading
import time

from serving import serve_threads

lock = threading.Lock()


def predict(path):
    time.sleep(0.015)  # the GPU works
    return path.encode()


def handle(path):
    with lock:
        return predict(path)


serve_threads(handle, 150, 6)
