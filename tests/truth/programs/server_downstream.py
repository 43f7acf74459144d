# SPDX-License-Identifier: MIT
# A server by threads that asks another server for each request, which takes its time.
# first: downstream
# line: server_downstream.py:24
import http.client
import os
import socket
import subprocess
import sys
import threading
import time

from serving import answer_by_thread, serve_threads


def slow(path):
    time.sleep(0.03)
    return b"7.5"


def handle(path):
    client = http.client.HTTPConnection("127.0.0.1", port)
    client.request("GET", path)
    return client.getresponse().read()


def serve_slowly(listener):
    while True:
        threading.Thread(target=answer_by_thread, args=(slow, listener.accept()[0])).start()


if len(sys.argv) > 1:  # the other server: a process of its own, which is not recorded
    serve_slowly(socket.socket(fileno=int(sys.argv[1])))
with socket.create_server(("127.0.0.1", 0)) as listener:
    port = listener.getsockname()[1]
    clean = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD" and not key.startswith("INTERCEPT_")}
    other = subprocess.Popen([sys.executable, __file__, str(listener.fileno())], env=clean, pass_fds=[listener.fileno()])
serve_threads(handle, 150)
other.kill()
other.wait()
