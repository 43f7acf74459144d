# SPDX-License-Identifier: MIT
# usage: client.py PORT PLAN: sends requests by plain sockets and prints, as JSON, what it sent and got: a list for each request
# with method, path, status (0: none), bytes sent, bytes received, and nanoseconds from before the first send to after the last byte.
# PLAN is a list of words: METHOD:PATH[:BYTES of body] on one connection that is kept; `new` opens another one; `pipe:N:PATH`
# sends N requests at once, if the server keeps connections; `split:PATH` sends a request byte by byte; `ws:PATH` talks WebSocket;
# `sent:PATH` sends one, makes the file `go` 0.3 s later and waits for the answer;
# `leave:PATH` sends one that waits for the file `go`, and resets the connection when the server has it (file `held`), before `go`. TLS=1 in the environment: by TLS.
import json
import os
import socket
import ssl
import struct
import sys
import time

port, plan = int(sys.argv[1]), sys.argv[2:]
done = []


class Connection:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", port))
        if os.environ.get("TLS"):
            self.socket = ssl._create_unverified_context().wrap_socket(self.socket)
        self.socket.settimeout(600)
        self.left = b""
        self.closes = False  # the server closes it after the last answer

    def more(self):
        data = self.socket.recv(65536)
        self.left += data
        return len(data)

    def line(self):
        while b"\r\n" not in self.left:
            if not self.more():
                return None
        line, _, self.left = self.left.partition(b"\r\n")
        self.taken += len(line) + 2
        return line

    def body(self, length):
        while len(self.left) < length:
            if not self.more():
                break
        self.taken += min(length, len(self.left))
        self.left = self.left[length:]

    # Status and bytes of one answer; 0 and 0 if the connection was closed before it.
    def answer(self, method):
        self.taken, length, chunked = 0, None, False
        first = self.line()
        if first is None:
            return 0, 0
        status = int(first.split()[1])
        self.closes = first.startswith(b"HTTP/1.0")
        while True:
            name, _, value = self.line().partition(b":")
            if not name:
                break
            if name.lower() == b"content-length":
                length = int(value)
            self.closes |= name.lower() == b"connection" and value.strip().lower() == b"close"
            chunked |= name.lower() == b"transfer-encoding" and b"chunked" in value.lower()
        if method == "HEAD" or status in (204, 304) or status < 200:
            return status, self.taken
        while chunked:
            size = int(self.line(), 16)
            self.body(size)
            self.line()
            if not size:
                return status, self.taken
        if length is None:
            while self.more():
                pass
            length, self.closes = len(self.left), True
        self.body(length)
        return status, self.taken


def text(method, path, body=b""):
    head = "%s %s HTTP/1.1\r\nHost: test\r\n" % (method, path)
    if body:
        head += "Content-Length: %d\r\n" % len(body)
    return head.encode() + b"\r\n" + body


def ask(connection, method, path, whole, step=None):
    start = time.monotonic_ns()
    for at in range(0, len(whole), step or len(whole)):
        connection.socket.sendall(whole[at : at + (step or len(whole))])
    status, taken = connection.answer(method)
    done.append([method, path, status, len(whole), taken, time.monotonic_ns() - start])


connection = Connection()
for word in plan:
    what, _, rest = word.partition(":")
    if connection.closes or what == "new":
        connection.socket.close()
        connection = Connection()
    if what == "new":
        continue
    if what == "pipe":
        count, _, path = rest.partition(":")
        start = time.monotonic_ns()
        connection.socket.sendall(text("GET", path) * int(count))
        for _ in range(int(count)):
            status, taken = connection.answer("GET")
            done.append(["GET", path, status, len(text("GET", path)), taken, time.monotonic_ns() - start])
    elif what == "leave":
        connection.socket.sendall(text("GET", rest))
        while not os.path.exists("held"):
            time.sleep(0.01)
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.socket.close()
        open("go", "w").close()
        done.append(["GET", rest, 0, len(text("GET", rest)), 0, 0])
        connection = Connection()
    elif what == "sent":
        start = time.monotonic_ns()
        connection.socket.sendall(text("GET", rest))
        time.sleep(0.3)
        open("go", "w").close()
        status, taken = connection.answer("GET")
        done.append(["GET", rest, status, len(text("GET", rest)), taken, time.monotonic_ns() - start])
    elif what == "ws":
        upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ask(connection, "GET", rest, text("GET", rest)[:-2] + upgrade.encode())
        connection.socket.sendall(b"\x81\x82\0\0\0\0ho")  # a frame of text, masked with zeros
        while len(connection.left) < 6:
            if not connection.more():
                sys.exit("no frame came back")
        if connection.left[:6] != b"\x81\x04hoho":
            sys.exit("another frame came back: %r" % connection.left)
        connection.socket.close()
        connection = Connection()
    elif what == "split":
        ask(connection, "GET", rest, text("GET", rest), 1)
    else:
        path, _, size = rest.partition(":")
        ask(connection, what, path, text(what, path, b"x" * int(size or 0)))
connection.socket.close()
print(json.dumps(done))
