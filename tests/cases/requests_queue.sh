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
python3 "$ROOT/tests/requests/client.py" "$(<port)" GET:/held >held.json &
client=$!
eventually "the request has come" test -e held
python3 "$ROOT/tests/requests/client.py" "$(<port)" sent:/a >asked.json || fail "the client failed"
wait "$client"
kill -TERM "$server"
wait "$server"
server=''
written "$OUTPUT"
# 0.3 s, less a tick of the kernel's clock
expect_between "queue" "$(json requests "$OUTPUT" 'row(endpoint="/a")["queue_ns"]')" 250000000 60000000000
# (until the server has it; the end of its answer it may see long after the client did)
expect_eq "not beyond the client's" "$(json requests "$OUTPUT" 'row(endpoint="/a")["queue_ns"] <= '"$(python3 -c 'import json; print(json.load(open("asked.json"))[0][5])')")" true
expect_eq "the other did not wait so" "$(json requests "$OUTPUT" 'row(endpoint="/held")["queue_ns"] < row(endpoint="/held")["total_ns"]')" true
