# SPDX-License-Identifier: MIT
"""A form on a server, and a client with a strange header."""
import asyncio
import socket

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

HEAD = b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\nContent-Type: application/x-www-form-urlencoded"


async def comment(request):
    return PlainTextResponse(str(len(await request.form())))


async def main():
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=[Route("/", comment, methods=["POST"])]), log_level="warning"))
    serving = asyncio.create_task(server.serve([listening]))
    reader, writer = await asyncio.open_connection(*listening.getsockname())
    writer.write(HEAD + b'; !="' + b"\\" * 32 + b"\r\n\r\n1")
    print((await reader.read())[:15])
    server.should_exit = True
    await serving

asyncio.run(main())
