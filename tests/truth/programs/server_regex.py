# SPDX-License-Identifier: MIT
# A server whose regular expression backtracks in one request of fifty: the event loop stands still meanwhile.
# first: blocked_event_loop
# line: server_regex.py:13
import re

from serving import serve

SECRET = re.compile(r"^(\w+\s?)+$")


def is_plain(text):
    return SECRET.match(text) is not None


async def handle(path):
    number = int(path[1:])
    text = "some words that match" if number % 50 else "a" * 21 + "!"
    return b"%d" % is_plain(text)


serve(handle, 300)
