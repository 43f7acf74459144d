# SPDX-License-Identifier: MIT
# A server that keeps each answer in a cache without a bound.
# first: memory_growth
# line: server_cache.py:14
# trace: +alloc
import array

from serving import serve

cache = {}


def embed(path):
    return array.array("d", range(25000))


async def handle(path):
    if path not in cache:
        cache[path] = embed(path)
    return b"%d" % len(cache[path])


serve(handle, 400)
