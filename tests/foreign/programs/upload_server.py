# SPDX-License-Identifier: MIT
"""A server that takes uploads, and a client that sends some."""
import http.client
import threading

from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response


@Request.application
def upload(request):
    return Response(str(len(request.files["file"].read())))


server = make_server("127.0.0.1", 0, upload)
threading.Thread(target=server.serve_forever).start()
body = (b'--limit\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        b"\r" + b"x" * (24 << 20) + b"\r\n--limit--\r\n")
client = http.client.HTTPConnection(*server.server_address)
client.request("POST", "/", body, {"Content-Type": "multipart/form-data; boundary=limit"})
print(client.getresponse().read())
server.shutdown()
