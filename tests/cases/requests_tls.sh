#!/bin/bash
# Requests that a server encrypts itself are those that its client sent, by asyncio's TLS and by sockets'; where they cannot be seen that is said.
# SPDX-License-Identifier: MIT
# timeout: 300
# shellcheck disable=SC2034 # plan is of serving.sh
. "$ROOT/tests/lib.sh"
need_servers
. "$ROOT/tests/requests/serving.sh"
export TLS=1 # of the client

openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost 2>openssl.log || fail "openssl: $(cat openssl.log)"
plan="GET:/a GET:/items/17 HEAD:/a POST:/echo:70000 GET:/stream GET:/missing GET:/error split:/c GET:/slow GET:/none new GET:/boom new GET:/a"
nothing_is_missing() { # NAME
	! "$REPORT" requests "$OUTPUT" 2>&1 | grep -q 'encrypted' || fail "$1: requests are said to be missing"
}
compare uvicorn "$PYTHON" -m uvicorn --ssl-keyfile key.pem --ssl-certfile cert.pem --port {} asgi_app:app
nothing_is_missing uvicorn
compare gunicorn "$PYTHON" -m gunicorn -w 1 --threads 2 --keyfile key.pem --certfile cert.pem -b 127.0.0.1:{} wsgi_app:app
nothing_is_missing gunicorn

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
