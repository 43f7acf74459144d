# SPDX-License-Identifier: MIT
# A server whose pool has two threads for sixteen clients: each call blocks one of them for 15 ms.
# first: pool_exhausted
# line: server_pool.py:13
import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from serving import serve


def look_up(path):
    time.sleep(0.015)
    return path.encode()


pool = ThreadPoolExecutor(2, thread_name_prefix="lookups")


async def handle(path):
    return await asyncio.get_running_loop().run_in_executor(pool, look_up, path)


serve(handle, 250, 16)
