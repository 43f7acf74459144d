#!/bin/bash
# Workers of gunicorn and uvicorn: all requests are there whoever answers; reload, --max-requests, kill -9, SIGTERM with a request under way as bare.
# SPDX-License-Identifier: MIT
# timeout: 300
. "$ROOT/tests/lib.sh"
need_servers
. "$ROOT/tests/requests/serving.sh"

start() { # COMMAND...; {} is the port
	rm -f held go "$OUTPUT"*
	port=$(free_port)
	LD_PRELOAD=$LIB INTERCEPT_OUTPUT=$OUTPUT "${@//\{\}/$port}" >server.log 2>&1 &
	server=$!
	eventually "the server answers" answers
}

answers() {
	python3 -S "$ROOT/tests/requests/client.py" "$port" GET:/first >/dev/null 2>&1 && sent=$((sent + 1))
}

ask() {
	python3 -S "$ROOT/tests/requests/client.py" "$port" "$@" >asked.json || fail "the client failed: $(cat server.log)"
	sent=$((sent + $(python3 -S -c 'import json; print(len(json.load(open("asked.json"))))')))
}

stop() { # STATUS
	kill -TERM "$server"
	wait "$server"
	expect_eq "status of the server ($(tail -n 3 server.log))" "$?" "$1"
	server=''
	written "$OUTPUT"*
}

booted() { # COUNT: as many workers have started
	(($(grep -c 'Booting worker' server.log) >= $1))
}

# Two workers, one of which ends after so many requests and another takes its place; then a reload of both.
sent=0
start "$PYTHON" -m gunicorn -w 2 --max-requests 5 -b 127.0.0.1:{} wsgi_app:app
for _ in 1 2 3 4 5 6 7 8; do ask GET:/a GET:/b; done
eventually "a worker was replaced" booted 3
before=$(grep -c 'Booting worker' server.log)
kill -HUP "$server"
eventually "workers were replaced" booted $((before + 2))
ask GET:/a
stop 0
expect_eq "requests" "$(json requests "$OUTPUT" 'totals["requests"]')" "$sent"
expect_eq "of workers" "$(json requests "$OUTPUT" 'sum(r["requests"] for r in rows), len(rows) > 2' --by worker)" "($sent, True)"

# A worker that is killed with a request under way, and one that may finish it.
sent=0
start "$PYTHON" -m gunicorn -w 1 -b 127.0.0.1:{} wsgi_app:app
ask GET:/a
python3 -S "$ROOT/tests/requests/client.py" "$port" GET:/held >/dev/null 2>&1 &
client=$!
eventually "the request has come" test -e held
kill -9 "$(pgrep -P "$server")"
wait "$client"
eventually "a worker was replaced" booted 2
rm -f held
python3 -S "$ROOT/tests/requests/client.py" "$port" GET:/held >held.json &
client=$!
eventually "the request has come" test -e held
kill -TERM "$server"
: >go
wait "$client" || fail "the client failed"
expect_eq "its status" "$(python3 -S -c 'import json; print(json.load(open("held.json"))[0][2])')" 200
wait "$server"
expect_eq "status of the server" "$?" 0
server=''
written "$OUTPUT"
expect_eq "of all" "$(json requests "$OUTPUT" '[totals["requests"], totals["open"]]')" "[$((sent + 1)), 1]"

# WebSocket: the request ends with the answer 101.
sent=0
start "$PYTHON" -m uvicorn --workers 2 --port {} asgi_app:app
ask GET:/a ws:/ws GET:/a
stop 0
expect_eq "requests" "$(json requests "$OUTPUT" 'totals["requests"]')" "$sent"
expect_eq "WebSocket" "$(json requests "$OUTPUT" 'row(endpoint="/ws")["ending"]' --by request)" upgraded
