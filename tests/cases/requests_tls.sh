#!/bin/bash
# Requests that a server encrypts itself are those that its client sent, by asyncio's TLS and by sockets'; where they cannot be seen that is said.
# SPDX-License-Identifier: MIT
# timeout: 300
. "$ROOT/tests/lib.sh"
need_servers
export PYTHONPATH=$PYTHONPATH:$ROOT/tests/requests PYTHONDONTWRITEBYTECODE=1
server=''
trap '[[ ! $server ]] || kill -9 $server 2>/dev/null' EXIT

listens() { # PORT
	(exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# Starts the server, asks for all of the plan, and ends it; the answers are in $1.json.
serve() { # NAME COMMAND...; {} is the port
	local name=$1 port
	shift
	port=$(free_port)
	"${@//\{\}/$port}" >"$name.log" 2>&1 &
	server=$!
	eventually "$name listens" listens "$port"
	# shellcheck disable=SC2086 # words
	TLS=1 python3 "$ROOT/tests/requests/client.py" "$port" $plan >"$name.json" || fail "$name: the client failed: $(cat "$name.log")"
	kill -TERM "$server"
	wait "$server"
	server=''
}

answers() { # NAME: without times
	python3 -I -S -c 'import json, sys; [print(*row[:5]) for row in json.load(open(sys.argv[1]))]' "$1.json"
}

compare() { # NAME COMMAND...
	local name=$1
	rm -f "$OUTPUT"
	serve "$name-bare" "${@:2}"
	serve "$name" env LD_PRELOAD="$LIB" INTERCEPT_OUTPUT="$OUTPUT" "${@:2}"
	cmp <(answers "$name-bare") <(answers "$name") || fail "$name: answers differ: $(diff <(answers "$name-bare") <(answers "$name"))"
	written "$OUTPUT"
	"$REPORT" requests --limit 0 --by request --format json "$OUTPUT" >requests.json || fail "$name: prof-report: status $?"
	python3 "$ROOT/tests/requests/compare.py" "$name.json" requests.json || fail "$name: requests differ from the client's"
	! "$REPORT" requests "$OUTPUT" 2>&1 | grep -q 'encrypted' || fail "$name: requests are said to be missing"
}

openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>openssl.log || fail "openssl: $(cat openssl.log)"
plan="GET:/a GET:/items/17 HEAD:/a POST:/echo:70000 GET:/stream GET:/missing GET:/error split:/c GET:/slow GET:/none new GET:/boom new GET:/a"
compare uvicorn "$PYTHON" -m uvicorn --ssl-keyfile key.pem --ssl-certfile cert.pem --port {} asgi_app:app
compare gunicorn "$PYTHON" -m gunicorn -w 1 --threads 2 --keyfile key.pem --certfile cert.pem -b 127.0.0.1:{} wsgi_app:app

# a client's own connections are no requests
cat >client.py <<'END'
import ssl, sys, threading, socket

server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
server.load_cert_chain("cert.pem", "key.pem")
listener = socket.create_server(("127.0.0.1", 0))


def serve():
    with server.wrap_socket(listener.accept()[0], server_side=True) as connection:
        while connection.recv(4096):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


thread = threading.Thread(target=serve)
thread.start()
with ssl._create_unverified_context().wrap_socket(socket.create_connection(listener.getsockname())) as connection:
    for number in range(3):
        connection.sendall(b"GET /%d HTTP/1.1\r\n\r\n" % number)
        print(len(connection.recv(4096)))
thread.join()
END
rm -f "$OUTPUT"
run_traced python3 client.py >out 2>err || fail "status $?: $(cat err)"
expect_eq "output" "$(tr '\n' ' ' <out)" "40 40 40 "
expect_eq "requests" "$(json requests "$OUTPUT" 'totals["requests"]')" 3
