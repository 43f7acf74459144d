# SPDX-License-Identifier: MIT
# A server's event loop whose handler calls what blocks: 30 ms for each of 60 requests. No step, no PyTorch.
# first: blocked_event_loop
# line: event_loop.py:12
# text: no other task could run meanwhile
import asyncio
import time


def fetch_features(number):
    # a client that is not asynchronous
    time.sleep(0.03)
    return [number]


async def handle(reader, writer):
    while line := await reader.readline():
        writer.write(b"%d\n" % len(fetch_features(int(line))))
        await writer.drain()
    writer.close()


async def ask(port, count):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for number in range(count):
        writer.write(b"%d\n" % number)
        await writer.drain()
        await reader.readline()
    writer.close()


async def main():
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    await asyncio.gather(*[ask(port, 15) for _ in range(4)])
    server.close()


asyncio.run(main())
