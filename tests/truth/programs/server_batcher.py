# SPDX-License-Identifier: MIT
# A batcher that waits up to 30 ms for a batch of 16, while there are only two clients.
# first: batcher_waits
# line: server_batcher.py:20
import queue
import threading
import time
from concurrent.futures import Future

from serving import serve_threads

requests = queue.Queue()


def collect():
    batch = [requests.get()]
    end = time.monotonic() + 0.03
    while len(batch) < 16:
        try:
            batch.append(requests.get(timeout=max(end - time.monotonic(), 0.0001)))
        except queue.Empty:
            break
    return batch


def run_batches():
    while True:
        for path, future in collect():
            future.set_result(path.encode())


def handle(path):
    future = Future()
    requests.put((path, future))
    return future.result()


threading.Thread(target=run_batches, name="batcher", daemon=True).start()
serve_threads(handle, 120, 2)
