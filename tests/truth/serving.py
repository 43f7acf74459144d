# SPDX-License-Identifier: MIT
"""What the servers of tests/truth have in common: a small HTTP server by asyncio, one by threads, and a client.

The client is a process of its own without intercept. It sends a number of requests and then ends, and so does the server: a run is so
much work, not so many seconds. No PyTorch, no package.

    serve(handle, requests, at_once)            asyncio; handle is a coroutine: path -> bytes
    serve_threads(handle, requests, at_once)    as many threads as connections; handle: path -> bytes
"""

import asyncio
import os
import socket
import subprocess
import sys
import threading

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"


def start_client(port, requests, at_once):
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD" and not key.startswith("INTERCEPT_")}
    return subprocess.Popen([sys.executable, __file__, str(port), str(requests), str(at_once)], env=environment)


async def answer(handle, reader, writer):
    try:
        while request := await reader.readline():
            while (await reader.readline()).strip():
                pass
            body = await handle(request.split()[1].decode())
            writer.write(ANSWER % len(body) + body)
            await writer.drain()
    except asyncio.CancelledError:
        pass  # the client has ended, and the loop ends before this connection is seen to
    finally:
        writer.close()


async def serve_until_client_ends(handle, requests, at_once):
    server = await asyncio.start_server(lambda *streams: answer(handle, *streams), "127.0.0.1", 0)
    client = start_client(server.sockets[0].getsockname()[1], requests, at_once)
    while client.poll() is None:
        await asyncio.sleep(0.1)
    server.close()


def serve(handle, requests, at_once=4):
    asyncio.run(serve_until_client_ends(handle, requests, at_once))


def answer_by_thread(handle, connection):
    with connection, connection.makefile("rb") as lines:
        while request := lines.readline():
            while lines.readline().strip():
                pass
            body = handle(request.split()[1].decode())
            connection.sendall(ANSWER % len(body) + body)


def serve_threads(handle, requests, at_once=4, listener=None):
    with listener or socket.create_server(("127.0.0.1", 0)) as listener:
        client = start_client(listener.getsockname()[1], requests, at_once)
        accept_connections(handle, listener, at_once)
    # not waited for: on a busy machine its end takes a second, which would be a fault of the server
    client.returncode = 0


def accept_connections(handle, listener, count):
    threads = []
    for number in range(count):
        connection, _ = listener.accept()
        threads.append(threading.Thread(target=answer_by_thread, args=(handle, connection), name="request-%d" % number))
        threads[-1].start()
    for thread in threads:
        thread.join()


# --- the client ---


def ask(port, numbers, lock):
    with socket.create_connection(("127.0.0.1", port)) as connection, connection.makefile("rb") as lines:
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            connection.sendall(b"GET /%d HTTP/1.1\r\n\r\n" % number)
            assert lines.readline().split()[1] == b"200"
            length = 0
            while line := lines.readline().strip():
                length = int(line.split()[1])
            assert len(lines.read(length)) == length


def main(port, requests, at_once):
    numbers, lock = iter(range(requests)), threading.Lock()
    threads = [threading.Thread(target=ask, args=(port, numbers, lock)) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
    os._exit(0)  # a server that waits for the end of an interpreter has nothing to do meanwhile, which a busy machine makes long
