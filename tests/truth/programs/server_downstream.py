# SPDX-License-Identifier: MIT
# A server by threads that asks another server for each request, which takes its time.
# first: downstream
# line: server_downstream.py:29
import http.client
import os
import socket
import threading
import time

from serving import answer_by_thread, serve_threads

# the other server: a process of its own
with socket.create_server(("127.0.0.1", 0)) as listener:
    port = listener.getsockname()[1]
    other = os.fork()
    if not other:
        def slow(path):
            time.sleep(0.03)
            return b"7.5"

        while True:
            threading.Thread(target=answer_by_thread, args=(slow, listener.accept()[0])).start()


def handle(path):
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("GET", path)
    return client.getresponse().read()


serve_threads(handle, 150)
os.kill(other, 9)
os.waitpid(other, 0)
