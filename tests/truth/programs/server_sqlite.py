# SPDX-License-Identifier: MIT
# A server whose coroutine asks a database without await: the event loop stands still during each query.
# first: blocked_event_loop
# line: server_sqlite.py:16
import sqlite3

from serving import serve

base = sqlite3.connect(":memory:")
base.execute("create table items (number integer, name text, price real)")
base.executemany("insert into items values (?, ?, ?)", [(i, "item %d" % (i * 7919 % 10007), i / 3) for i in range(40000)])


async def handle(path):
    term = "%" + path[1:]
    rows = base.execute("select number, name from items where name like ? order by price desc limit 5", (term,)).fetchall()
    return repr(rows).encode()


serve(handle, 200)
