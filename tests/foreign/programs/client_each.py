# SPDX-License-Identifier: MIT
"""Asks a server of its own for prices."""
import asyncio

import httpx


async def answer(reader, writer):
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n42")
    writer.close()


async def price(url, item):
    async with httpx.AsyncClient() as client:
        return (await client.get(url, params={"item": item})).text


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = "http://127.0.0.1:%d/" % server.sockets[0].getsockname()[1]
    for item in range(60):
        await price(url, item)

asyncio.run(main())
