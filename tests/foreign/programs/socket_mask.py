# SPDX-License-Identifier: MIT
"""Sends pictures through a web socket."""
import os
import socket
import threading

import websocket


def swallow(end):
    while end.recv(1 << 16):
        pass


here, there = socket.socketpair()
threading.Thread(target=swallow, args=(there,)).start()
client = websocket.WebSocket()
client.sock, client.connected = here, True
for picture in range(30):
    client.send_binary(os.urandom(1 << 19))
here.close()
