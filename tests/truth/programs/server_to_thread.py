# SPDX-License-Identifier: MIT
# A server that hands blocking calls to the event loop's own pool, which is small on a machine with few CPUs, for forty clients.
# first: pool_exhausted
# line: server_to_thread.py:12
import asyncio
import time

from serving import serve


def look_up(path):
    time.sleep(0.04)
    return path.encode()


async def handle(path):
    return await asyncio.to_thread(look_up, path)


serve(handle, 800, 40)
