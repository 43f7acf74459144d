#!/bin/bash
# A request that waits in the kernel while the server is busy with another: that time is its own, as queue, and not beyond its client's.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"
server=''
trap '[[ ! $server ]] || kill -9 $server 2>/dev/null' EXIT
python3 -I -S -c 'import socket, struct, sys, time
listener = socket.create_server(("127.0.0.1", 0))
sender = socket.create_connection(listener.getsockname())
taker = listener.accept()[0]
sender.send(b"x")
time.sleep(0.1)
taker.recv(1)
sys.exit(struct.unpack_from("I", taker.getsockopt(6, 11, 256), 52)[0] < 50)' 2>/dev/null ||
	skip "this kernel does not say when data came (TCP_INFO)"

LD_PRELOAD=$LIB INTERCEPT_OUTPUT=$OUTPUT python3 "$ROOT/tests/requests/plain_server.py" port single &
server=$!
eventually "the server listens" test -s port
python3 -S "$ROOT/tests/requests/client.py" "$(<port)" GET:/held >held.json &
client=$!
eventually "the request has come" test -e held
python3 -S "$ROOT/tests/requests/client.py" "$(<port)" sent:/a >asked.json || fail "the client failed"
wait "$client"
kill -TERM "$server"
wait "$server"
server=''
written "$OUTPUT"
# 0.3 s, less a tick of the kernel's clock
expect_between "queue" "$(json requests "$OUTPUT" 'row(endpoint="/a")["queue_ns"]')" 250000000 60000000000
# (until the server has it; the end of its answer it may see long after the client did)
expect_eq "not beyond the client's" "$(json requests "$OUTPUT" 'row(endpoint="/a")["queue_ns"] <= '"$(python3 -S -c 'import json; print(json.load(open("asked.json"))[0][5])')")" true
expect_eq "the other did not wait so" "$(json requests "$OUTPUT" 'row(endpoint="/held")["queue_ns"] < row(endpoint="/held")["total_ns"]')" true

# The same of encrypted requests: of a socket's, and of asyncio's, which decrypts in memory. Two connections, so that the right one is asked.
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>openssl.log || fail "openssl: $(cat openssl.log)"
cat >encrypted.py <<'END'
import asyncio, contextlib, select, socket, ssl, sys, threading, time

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain("cert.pem", "key.pem")


def asks(port):
    plain = ssl._create_unverified_context()
    with plain.wrap_socket(socket.create_connection(("127.0.0.1", port))) as one, plain.wrap_socket(socket.create_connection(("127.0.0.1", port))) as other:
        for number in range(3):
            for connection, path in (one, b"waits"), (other, b"follows"):
                connection.sendall(b"GET /%s HTTP/1.1\r\n\r\n" % path)
                assert connection.recv(4096)


def keep_waiting(other):  # its request has come, and waits for so long
    select.select([other], [], [])
    time.sleep(0.3)


def serve_sockets(listener):
    connections = [context.wrap_socket(listener.accept()[0], server_side=True) for _ in range(2)]
    for _ in range(3):
        connections[0].recv(4096)
        connections[0].sendall(ANSWER)
        keep_waiting(connections[1])
        connections[1].recv(4096)
        connections[1].sendall(ANSWER)


async def answer(connections, reader, writer):
    connections.append(writer.get_extra_info("socket"))  # in the order in which the client makes them
    with contextlib.suppress(asyncio.CancelledError):
        while request := await reader.read(4096):
            writer.write(ANSWER)
            await writer.drain()
            if b"/waits" in request:
                for other in connections[1:]:  # not yet there when the first one comes early
                    keep_waiting(other.fileno())
    writer.close()


async def serve_loop(listener, client):
    connections = []
    server = await asyncio.start_server(lambda *streams: answer(connections, *streams), sock=listener, ssl=context)
    while client.is_alive():
        await asyncio.sleep(0.05)
    server.close()


listener = socket.create_server(("127.0.0.1", 0))
client = threading.Thread(target=asks, args=(listener.getsockname()[1],))
client.start()
serve_sockets(listener) if sys.argv[1] == "sockets" else asyncio.run(serve_loop(listener, client))
client.join()
END
for kind in sockets loop; do
	rm -f "$OUTPUT"
	run_traced python3 encrypted.py "$kind" >out 2>&1 || fail "$kind: status $?: $(cat out)"
	expect_eq "requests of $kind" "$(json requests "$OUTPUT" 'totals["requests"]')" 6
	expect_between "queue of $kind" "$(json requests "$OUTPUT" 'row(endpoint="/follows")["queue_ns"]')" 550000000 60000000000
	expect_eq "it is those that waited" "$(json requests "$OUTPUT" 'row(endpoint="/waits")["queue_ns"] < row(endpoint="/follows")["queue_ns"]')" true
done
