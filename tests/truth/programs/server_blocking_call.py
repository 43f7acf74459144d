# SPDX-License-Identifier: MIT
# A server's handler asks another server by a client that blocks the event loop, 20 ms for each of 100 requests.
# first: blocked_event_loop
# line: server_blocking_call.py:17
# text: no other task could run meanwhile
import socket
import threading
import time

from serving import serve

near, far = socket.socketpair()


def fetch_features(path):
    near.sendall(b"?")
    return near.recv(64) + path.encode()


def answer_slowly():
    while far.recv(64):
        time.sleep(0.02)
        far.sendall(b"features")


async def handle(path):
    return fetch_features(path)


threading.Thread(target=answer_slowly, daemon=True).start()
serve(handle, 100)
