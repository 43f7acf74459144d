# SPDX-License-Identifier: MIT
# A server that makes a client with its TLS context for each request.
# first: client_per_request
# line: server_client.py:12
import http.client
import ssl

from serving import serve


def connect():
    return http.client.HTTPSConnection("localhost", context=ssl.create_default_context())


async def handle(path):
    client = connect()
    client.close()
    return b"done"


serve(handle, 100)
