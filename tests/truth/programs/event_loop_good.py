# SPDX-License-Identifier: MIT
# The same server with a handler that awaits.
# first: none
import asyncio


async def handle(reader, writer):
    while line := await reader.readline():
        await asyncio.sleep(0.03)
        writer.write(b"%d\n" % len(line))
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
    await asyncio.gather(*[ask(port, 30) for _ in range(4)])
    server.close()


asyncio.run(main())
