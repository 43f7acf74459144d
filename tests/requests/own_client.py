# SPDX-License-Identifier: MIT
"""A server whose requests come from threads of its own process, as in tests and demos."""
import http.client
import http.server
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(0.05)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *arguments):
        pass


def client(port):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for _ in range(40):
        connection.request("GET", "/answer")
        connection.getresponse().read()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
clients = [threading.Thread(target=client, args=(server.server_port,)) for _ in range(2)]
for thread in clients:
    thread.start()
for thread in clients:
    thread.join()
server.shutdown()
print("served")
