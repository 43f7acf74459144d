# SPDX-License-Identifier: MIT
# Four workers of a server with eight threads each that compute outside of the GIL, on a machine with few CPUs.
# first: workers_times_threads
# line: server_workers.py:16
# text: CPUs at a time on average
import hashlib
import os
import socket

from serving import accept_connections, start_client

WORKERS, THREADS = 4, 8


def score(path):
    return hashlib.pbkdf2_hmac("sha256", path.encode(), b"salt", 20000).hex().encode()


listener = socket.create_server(("127.0.0.1", 0), backlog=WORKERS * THREADS)
workers = []
for _ in range(WORKERS):
    workers.append(os.fork())
    if not workers[-1]:
        accept_connections(score, listener, THREADS)
        os._exit(0)
client = start_client(listener.getsockname()[1], 700, WORKERS * THREADS)
client.wait()
for worker in workers:
    os.waitpid(worker, 0)
