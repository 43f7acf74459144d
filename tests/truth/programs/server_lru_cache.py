# SPDX-License-Identifier: MIT
# A server whose functools.lru_cache has no bound: each path stays, with its list of numbers.
# first: memory_growth
# line: server_lru_cache.py:14
# trace: +alloc
import functools

from serving import serve


@functools.lru_cache(maxsize=None)
def embed(path):
    base = len(path)
    return [base + number / 7 for number in range(6000)]


async def handle(path):
    return b"%f" % embed(path)[3]


serve(handle, 400)
