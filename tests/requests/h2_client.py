# SPDX-License-Identifier: MIT
# usage: h2_client.py PORT PLAN [ROUNDS]: sends requests of HTTP/2 over one connection, as many at once as the plan has, and prints, as
# JSON, what it sent and got: a list of method, path, status (0: reset by this client), how many, and the longest time in nanoseconds. PLAN: words METHOD:PATH[:BYTES of body], with commas between;
# `reset:PATH` resets the stream at once. TLS=1: by TLS, where the server must offer h2.
import collections
import json
import os
import socket
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.events

port, plan, rounds = int(sys.argv[1]), sys.argv[2].split(","), int((sys.argv[3:] or ["1"])[0])
connection = socket.create_connection(("127.0.0.1", port))
if os.environ.get("TLS"):
    context = ssl._create_unverified_context()
    context.set_alpn_protocols(["h2"])
    connection = context.wrap_socket(connection)
    assert connection.selected_alpn_protocol() == "h2"
talk = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
talk.initiate_connection()
done = collections.defaultdict(lambda: [0, 0])
open_streams = {}


def send(word):
    method, path, *size = word.split(":")
    stream = talk.get_next_available_stream_id()
    body = b"x" * int(size[0]) if size else b""
    fields = [(":method", "GET" if method == "reset" else method), (":path", path), (":scheme", "http"), (":authority", "test"), ("x-round", str(stream))]
    talk.send_headers(stream, fields, end_stream=not body)
    open_streams[stream] = [method, path, 0, time.monotonic_ns()]
    for at in range(0, len(body), 8192):
        talk.send_data(stream, body[at : at + 8192], end_stream=at + 8192 >= len(body))
    if method == "reset":
        talk.reset_stream(stream, 8)
        end(stream)


def end(stream):
    method, path, status, began = open_streams.pop(stream)
    row = done["GET" if method == "reset" else method, path, status]
    row[0] += 1
    row[1] = max(row[1], time.monotonic_ns() - began)


def take(event):
    if isinstance(event, h2.events.ResponseReceived):
        if event.stream_id in open_streams:
            open_streams[event.stream_id][2] = int(dict(event.headers)[":status"])
    elif isinstance(event, h2.events.DataReceived):
        talk.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
    elif isinstance(event, h2.events.StreamEnded):
        end(event.stream_id)
    elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
        sys.exit("the server gave up: %s" % event)


for _ in range(rounds):
    for word in plan:
        send(word)
    connection.sendall(talk.data_to_send())
    while open_streams:
        data = connection.recv(65536)
        if not data:
            sys.exit("the server closed the connection")
        for event in talk.receive_data(data):
            take(event)
        connection.sendall(talk.data_to_send())
talk.close_connection()
connection.sendall(talk.data_to_send())
connection.close()
print(json.dumps([[*key, *row] for key, row in sorted(done.items())]))
