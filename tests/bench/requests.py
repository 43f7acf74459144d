# SPDX-License-Identifier: MIT
"""requests.py BUILD [SERVER [ROUNDS [REQUESTS]]]: what recording costs a server, by request.

SERVER: fastapi (small answers, by uvicorn) or client (each request makes a client with its TLS context). A server runs for each variant
of the settings, all at the same time; one is asked at a time, REQUESTS requests in each round, in another order each round. So
a busy machine is busy for all of them, and each figure is a ratio within one round.

CPU time is the kernel's (schedstat, all threads), so it is right on a busy machine, too; requests a second and p99 are the client's, which
sends from four connections, and say little there. Packages: scripts/pip-folder.sh servers. VARIANTS=default,-alloc chooses variants.

ROUNDS "instructions": one server at a time under callgrind, from one connection, counts what REQUESTS requests take; the same on any machine.
"""

import os, random, socket, statistics, subprocess, sys, tempfile, threading, time

VARIANTS = {
    "bare": None,
    "bare again": None,  # how far apart two servers are that do the same
    "default": {},
    "light": {"INTERCEPT_PRESET": "light"},
    "-alloc": {"INTERCEPT_TRACE": "-alloc"},
    "-alloc,-requests": {"INTERCEPT_TRACE": "-alloc,-requests"},
    "no samples": {"INTERCEPT_SAMPLE": "0"},
    "alloc": {"INTERCEPT_TRACE": "alloc", "INTERCEPT_SAMPLE": "0"},
    "requests": {"INTERCEPT_TRACE": "requests", "INTERCEPT_SAMPLE": "0"},
    "1 of 512 KiB": {"INTERCEPT_HEAP_EVERY": "512K"},
}
CONNECTIONS = 4


# --- servers ---


def make_app(kind):
    import asyncio, ssl

    from fastapi import FastAPI
    from pydantic import BaseModel

    app = FastAPI()

    class Item(BaseModel):
        number: int
        name: str
        tags: list[str]

    @app.get("/items/{number}", response_model=Item)
    async def item(number: int):
        await asyncio.sleep(0)
        return Item(number=number, name="item %d" % number, tags=["a", "b", "c"])

    @app.get("/client/{number}")
    def client(number: int):
        return {"ciphers": len(ssl.create_default_context().get_ciphers())}

    return app


def serve(kind, port):
    import uvicorn

    uvicorn.run(make_app(kind), host="127.0.0.1", port=port, log_level="error", timeout_keep_alive=3600)


class Server:
    def __init__(self, build, kind, name, folder, under=()):
        self.name, self.path = name, "/items/%d" if kind == "fastapi" else "/client/%d"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        environment, self.file = dict(os.environ), None
        if VARIANTS[name] is not None:
            self.file = os.path.join(folder, "%d.evt" % self.port)
            environment.update(LD_PRELOAD=os.path.join(build, "libintercept.so"), INTERCEPT_OUTPUT=self.file, **VARIANTS[name])
        command = [*under, os.path.realpath(sys.executable) if under else sys.executable, __file__, "serve", kind, str(self.port)]
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE if under else None, text=True)
        while not self.listens():
            if self.process.poll() is not None:
                sys.exit("%s: the server ended" % name)
            time.sleep(0.2)
        self.collector = collector_of(self.file)

    def listens(self):
        try:
            self.connections = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(CONNECTIONS)]
        except OSError:
            return False
        for connection in self.connections:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True


def collector_of(path):
    for pid in filter(str.isdigit, os.listdir("/proc") if path else ()):
        try:
            if os.path.basename(os.readlink("/proc/%s/exe" % pid)) == "intercept-collector" and any(
                    os.readlink("/proc/%s/fd/%s" % (pid, number)) == path for number in os.listdir("/proc/%s/fd" % pid)):
                return int(pid)
        except OSError:
            continue
    return None


def cpu_ns(pid):
    total = 0
    for task in os.listdir("/proc/%d/task" % pid) if pid else ():
        with open("/proc/%d/task/%s/schedstat" % (pid, task)) as file:
            total += int(file.read().split()[0])
    return total


# --- the client ---


def more(connection):
    data = connection.recv(65536)
    if not data:
        raise ConnectionError("the server closed the connection")
    return data


def ask(connection, path, count, times):
    for number in range(count):
        begin = time.perf_counter_ns()
        connection.sendall(b"GET %s HTTP/1.1\r\nHost: bench\r\n\r\n" % (path % number).encode())
        answer = more(connection)
        while b"\r\n\r\n" not in answer:
            answer += more(connection)
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), answer
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        while len(body) < length:
            body += more(connection)
        times.append(time.perf_counter_ns() - begin)


def measure(server, requests):
    times, before, collected = [], cpu_ns(server.process.pid), cpu_ns(server.collector)
    begin = time.perf_counter_ns()
    threads = [threading.Thread(target=ask, args=(connection, server.path, requests // CONNECTIONS, times))
               for connection in server.connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(times) != requests // CONNECTIONS * CONNECTIONS:
        sys.exit("%s: a connection failed" % server.name)
    wall, times = time.perf_counter_ns() - begin, sorted(times)
    cpu = cpu_ns(server.process.pid) - before
    time.sleep(0.2)  # the collector takes what is left
    return {"cpu": cpu / len(times), "collector": (cpu_ns(server.collector) - collected) / len(times),
            "rate": 1e9 * len(times) / wall, "p50": times[len(times) // 2], "p99": times[len(times) * 99 // 100]}


# --- instructions ---


def count(build, kind, name, folder, requests):
    """Instructions a request: what the program and the library run, not the collector."""
    under = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=" + os.path.join(folder, "out")]
    server = Server(build, kind, name, folder, under)
    times = []
    ask(server.connections[0], server.path, min(50, requests), times)  # caches fill
    subprocess.run(["callgrind_control", "-i", "on", str(server.process.pid)], check=True, capture_output=True)
    ask(server.connections[0], server.path, requests, times)
    subprocess.run(["callgrind_control", "-i", "off", str(server.process.pid)], check=True, capture_output=True)
    server.process.terminate()
    errors = server.process.communicate()[1]
    return int(errors.rpartition("Collected : ")[2].split()[0]) / requests


def count_all(build, kind, names, folder, requests):
    bare = None
    for name in names:
        each = count(build, kind, name, folder, requests)
        bare = bare or each
        print("%-18s %12.0f instructions a request, %.3f of bare" % (name, each, each / bare), flush=True)


# --- all of it ---


def say(servers, rounds):
    bare = [row["bare"] for row in rounds]
    print("bare: %.0f us of CPU a request, %.0f requests/s, p99 %.1f ms; load %.0f"
          % (statistics.median(row["cpu"] for row in bare) / 1e3, statistics.median(row["rate"] for row in bare),
             statistics.median(row["p99"] for row in bare) / 1e6, os.getloadavg()[0]))
    print("%-18s %8s %17s %9s %8s %8s %10s" % ("over bare", "CPU", "half of rounds", "req/s", "p50", "p99", "collector"))
    for server in servers[1:]:
        ratio = {key: sorted(row[server.name][key] / row["bare"][key] for row in rounds) for key in ("cpu", "rate", "p50", "p99")}
        at = len(rounds) // 4
        collector = statistics.median(row[server.name]["collector"] / row["bare"]["cpu"] for row in rounds)
        print("%-18s %8.3f %8.3f to %.3f %9.3f %8.3f %8.3f %+10.3f"
              % (server.name, statistics.median(ratio["cpu"]), ratio["cpu"][at], ratio["cpu"][-1 - at], statistics.median(ratio["rate"]),
                 statistics.median(ratio["p50"]), statistics.median(ratio["p99"]), collector))


def main(build, kind="fastapi", rounds="20", requests="400"):
    wanted = os.environ.get("VARIANTS")
    names = [name for name in VARIANTS if not wanted or name == "bare" or name in wanted.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        if rounds == "instructions":
            return count_all(os.path.realpath(build), kind, [name for name in names if name != "bare again"], folder, int(requests))
        servers = [Server(os.path.realpath(build), kind, name, os.path.realpath(folder)) for name in names]
        try:
            for server in servers:
                measure(server, int(requests))  # caches fill
            table = []
            for _ in range(int(rounds)):
                order = random.sample(servers, len(servers))
                table.append({server.name: measure(server, int(requests)) for server in order})
            say(servers, table)
        finally:
            for server in servers:
                server.process.terminate()
            for server in servers:
                server.process.wait()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) > 1:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
