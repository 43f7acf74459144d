# SPDX-License-Identifier: MIT
# A server whose threads of a pool tokenize in Python: they have the GIL, and the event loop waits for it.
# first: gil_starvation
# line: server_gil.py:14
import asyncio
from concurrent.futures import ThreadPoolExecutor

from serving import serve


def tokenize(text):
    tokens = []
    for word in text.split():
        tokens += [ord(letter) * 31 % 50257 for letter in word]
    return tokens


pool = ThreadPoolExecutor(4, thread_name_prefix="tokenizer")
TEXT = "a text of some words to be taken apart " * 1500


async def handle(path):
    tokens = await asyncio.get_running_loop().run_in_executor(pool, tokenize, TEXT)
    return b"%d" % len(tokens)


serve(handle, 300, 8)
