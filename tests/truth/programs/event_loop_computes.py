# SPDX-License-Identifier: MIT
# A server's event loop whose handler computes: 40 ms for each of 60 requests. How long one takes is not recorded, so it is a note.
# first: none
# names: blocked_event_loop computed, or were ready to, for .* while one computes no other task of the loop runs.* event_loop_computes.py:\d+ \(score\)
import asyncio
import time


def score(number):
    end = time.thread_time() + 0.04
    while time.thread_time() < end:
        number = (number * 31 + 7) % 1000003
    return number


async def handle(reader, writer):
    while line := await reader.readline():
        writer.write(b"%d\n" % score(int(line)))
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
