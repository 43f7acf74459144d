# SPDX-License-Identifier: MIT
"""usage: wakes.py pipe|lock|server WORK_US TURNS CLOCK

Threads that work for WORK_US of CPU time, wake another one and wait for it, TURNS times. `pipe` and `lock` have two threads that wake
each other; `server` is uvicorn, which answers a client in another process. Writes to CLOCK what the thread's own clock says of `work`,
`wake`, `wait` and, of the server, `rest`, in ns of CPU time, as JSON. Exit status 77 if there is no uvicorn.
"""

import json
import os
import subprocess
import sys
import threading
import time

HOW, WORK_NS, TURNS, CLOCK = sys.argv[1], int(sys.argv[2]) * 1000, int(sys.argv[3]), sys.argv[4]
CLIENT = """
import http.client, sys
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
for turn in range(int(sys.argv[2])):
    connection.request("GET", "/")
    connection.getresponse().read()
"""
spent = dict.fromkeys(("work", "wake", "wait"), 0)


def work():
    end = time.thread_time_ns() + WORK_NS
    while time.thread_time_ns() < end:
        pass


def turns(ends, i, wake, wait, clock=time.thread_time_ns):
    before = clock()
    for _ in range(TURNS):
        wait(ends[i])
        waited = clock()
        work()
        worked = clock()
        wake(ends[1 - i])
        woken = clock()
        spent["wait"] += waited - before
        spent["work"] += worked - waited
        spent["wake"] += woken - worked
        before = woken


def two_threads(ends, wake, wait):
    threads = [threading.Thread(target=turns, args=(ends, i, wake, wait)) for i in (0, 1)]
    for thread in threads:
        thread.start()
    wake(ends[0])
    for thread in threads:
        thread.join()


def pipe():
    def wake(end):
        os.write(end[1], b"x")

    def wait(end):
        os.read(end[0], 1)

    two_threads([os.pipe(), os.pipe()], wake, wait)


def lock():
    def wake(end):
        end.release()

    def wait(end):
        end.acquire()

    ends = [threading.Lock(), threading.Lock()]
    for end in ends:
        end.acquire()
    two_threads(ends, wake, wait)


def timed(name, function, clock=time.thread_time_ns):
    def around(*arguments):
        before = clock()
        result = function(*arguments)
        spent[name] += clock() - before
        return result

    around.__name__ = name
    around.__code__ = around.__code__.replace(co_name=name)
    return around


async def answer(scope, receive, send):
    if scope["type"] != "http":
        return
    before = time.thread_time_ns()
    spent.setdefault("rest", -before)
    work()
    spent["work"] += time.thread_time_ns() - before
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def server():
    try:
        import uvicorn
    except ImportError:
        sys.exit(77)
    import asyncio.selector_events
    import selectors
    import socket

    selectors.EpollSelector.select = timed("wait", selectors.EpollSelector.select)
    transport = asyncio.selector_events._SelectorSocketTransport
    transport.write = timed("wake", transport.write)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # else asyncio leaves Nagle's algorithm on
    listener.bind(("127.0.0.1", 0))
    settings = uvicorn.Config(answer, log_level="warning", lifespan="off", loop="asyncio", http="h11", access_log=False)
    serving = uvicorn.Server(settings)
    port = str(listener.getsockname()[1])

    def client():
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        try:
            subprocess.run([sys.executable, "-c", CLIENT, port, str(TURNS)], env=environment, check=True, timeout=600)
        finally:
            serving.should_exit = True

    asking = threading.Thread(target=client)
    listener.listen()
    asking.start()
    serving.run(sockets=[listener])
    asking.join()
    spent["rest"] += time.thread_time_ns() - sum(spent[name] for name in ("work", "wake", "wait"))


{"pipe": pipe, "lock": lock, "server": server}[HOW]()
with open(CLOCK, "w", encoding="utf-8") as file:
    json.dump(spent, file)
