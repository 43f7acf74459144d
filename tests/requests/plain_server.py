# SPDX-License-Identifier: MIT
# usage: plain_server.py PORT_FILE: http.server with a thread a connection, keep-alive; see tests/requests/client.py for what it answers.
import http.server
import os
import signal
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # a head and a body by one call, or by several

    def answer(self, status, body, close=False):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if close:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        path = self.path.partition("?")[0]
        if path == "/stream":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in (b"one", b"three", b""):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
        elif path == "/to-close":
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(b"until the end" * 10)
        elif path == "/boom":
            raise RuntimeError("of the handler's own")
        elif path == "/held":  # until the file `go` is there
            open("held", "w").close()
            while not os.path.exists("go"):
                time.sleep(0.01)
            self.answer(200, b"let go")
        elif path == "/missing":
            self.answer(404, b"no")
        elif path == "/error":
            self.answer(500, b"broken")
        elif path == "/slow":
            time.sleep(0.05)
            self.answer(200, b"at last")
        else:
            self.answer(200, b"body of " + path.encode())

    do_HEAD = do_GET

    def do_POST(self):
        self.answer(201, self.rfile.read(int(self.headers["Content-Length"])))

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever(0.05)
