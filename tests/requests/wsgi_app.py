# SPDX-License-Identifier: MIT
# A bare WSGI application: what tests/requests/plain_server.py answers, by any server of WSGI.
import os
import time


def app(environ, start_response):
    path = environ["PATH_INFO"]
    status, body, headers = "200 OK", b"body of " + path.encode(), []
    if path == "/stream":
        start_response("200 OK", [])
        return iter([b"one", b"three"])
    if path == "/held":  # until the file `go` is there
        open("held", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.01)
    if path == "/boom":
        raise RuntimeError("of the application's own")
    if path == "/missing":
        status, body = "404 Not Found", b"no"
    elif path == "/error":
        status, body = "500 Internal Server Error", b"broken"
    elif path == "/none":
        start_response("204 No Content", [])
        return []
    elif path == "/slow":
        time.sleep(0.05)
        body = b"at last"
    elif environ["REQUEST_METHOD"] == "POST":
        status, body = "201 Created", environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    if environ["REQUEST_METHOD"] == "HEAD":
        body = b""
    start_response(status, [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))] + headers)
    return [body]
