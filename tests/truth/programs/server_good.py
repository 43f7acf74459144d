# SPDX-License-Identifier: MIT
# A server that is well: its handler awaits, and does little.
# first: none
import asyncio

from serving import serve


async def handle(path):
    await asyncio.sleep(0.004)
    return path.encode()


serve(handle, 500, 4)
