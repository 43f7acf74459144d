# SPDX-License-Identifier: MIT
# A server whose pool has room, whose cache has a bound, and whose lock is held for a moment.
# first: none
import asyncio
import functools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from serving import serve

pool, lock, counts = ThreadPoolExecutor(16), threading.Lock(), {}


@functools.lru_cache(maxsize=16)
def weigh(key):
    return bytes(1000 + key)


def look_up(path):
    time.sleep(0.004)
    with lock:
        counts[path] = counts.get(path, 0) + 1
    return weigh(int(path[1:]) % 8)


async def handle(path):
    return await asyncio.get_running_loop().run_in_executor(pool, look_up, path)


serve(handle, 400, 4)
