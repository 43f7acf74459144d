# SPDX-License-Identifier: MIT
"""The groups of rows of design's target table: what is run and what is computed from it.

Every comparison is made within one round (bare, ours, each peer, one after the other) and the median over
the rounds is printed, so that a machine that gets slower meanwhile does not decide.
"""
import os
import statistics

import table
import tools

PAIRS = 2000000  # malloc+free pairs a thread
NVTX_PAIRS = 1000000
CUDA_CALLS = 1000000  # a thread
CUDA_BURST = 1000  # between two pauses: the ring does not fill
JSON_ROUNDS = 20
SMALL_STEPS = 500
LARGE_STEPS = 60


class Bench:
    """What the groups share: the tools, the directories, the log of raw results."""

    def __init__(self, build, rounds, size="full"):
        self.build = os.path.abspath(build)
        self.folder = os.path.join(self.build, "bench")
        self.rounds = rounds
        self.size = size
        self.python = os.environ.get("PYTHON") or None
        self.bare = tools.Tool()
        self.ours = tools.Intercept(build)
        self.lttng = tools.Lttng(os.path.join(self.folder, "lttng-home"))
        self.heaptrack = tools.Heaptrack()
        self.memray = tools.Memray(self.python)
        self.native = tools.MemrayNative(self.python)
        self.uftrace = tools.Uftrace()
        self.uftrace_arguments = tools.UftraceArguments()
        self.log = []

    def path(self, tool):
        return os.path.join(self.folder, "data", tool.name.replace(" ", "-"), "run")

    def program(self, name, *arguments):
        return [os.path.join(self.folder, name)] + [str(a) for a in arguments]

    def script(self, name, *arguments):
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/bench")
        return [self.python, os.path.normpath(os.path.join(folder, name))] + [str(a) for a in arguments]

    def once(self, tool, command, group, after=None, env=None):
        """One run; `after(tool, run)` looks at its files while they are there and adds to run.result."""
        run = tool.run(command, self.path(tool), env)
        run.result.update(run_wall_ns=run.wall_ns, run_cpu_ns=run.cpu_ns)
        if after:
            run.result.update(after(tool, run))
        self.log.append({"group": group, "tool": tool.name, "command": " ".join(command), **run.result})
        return run.result

    def interleave(self, group, command, peers, rounds=None, after=None, slow=()):
        """{tool name: [result of each round]}. Tools in `slow` run in the first round only."""
        results = {}
        for turn in range(rounds or self.rounds):
            for tool in [self.bare, self.ours] + peers:
                if tool.missing() or (tool in slow and turn):
                    continue
                results.setdefault(tool.name, []).append(self.once(tool, command, group, after))
        return results


def median(values):
    return statistics.median(values)


def peer(tool, results, value):
    """(name, median over rounds) for a row; value(result, bare result of the same round)."""
    if tool.name not in results:
        return tool.name, "install " + tool.package
    pairs = zip(results[tool.name], results["bare"])
    return tool.name, median([value(mine, bare) for mine, bare in pairs])


def added(key, per):
    """A value for peer(): what a tool adds to the bare run, per event."""
    return lambda mine, bare: (mine[key] - bare[key]) / mine[per]


def each(key, per):
    return lambda mine, bare: mine[key] / mine[per]


def slowdown(key, per=None):
    return lambda mine, bare: mine[key] / bare[key]


def collector_cost(bench):
    def look(tool, run):
        if tool is not bench.ours:
            return {}
        totals = bench.ours.totals(bench.path(tool))
        return {"collector_ns": totals["profiler_cpu_ns"], "recorded": totals["events"], "lost": totals["events_lost"]}
    return look


def heap(bench):
    """Cost of a malloc or free event in the program and in the collector."""
    rows = []
    clock = [tools.Run(bench.program("clock")).check().result for _ in range(3)]
    rows.append(table.row("reading the clock: rdtsc, ns", median([c["rdtsc_ns"] for c in clock])))
    rows.append(table.row("reading the clock: clock_gettime, ns", median([c["clock_gettime_ns"] for c in clock])))
    runs = {}
    for threads in (1, 2):
        runs[threads] = bench.interleave("heap", bench.program("heap", threads, PAIRS),
                                         [bench.lttng, bench.heaptrack], after=collector_cost(bench))
        for key, words in (("cpu_ns", "program's CPU"), ("wall_ns", "wall")):
            value = added(key, "events")
            target = {} if (threads, key) != (1, "cpu_ns") else \
                {"target": "<= 10, <= 1/6", "limit": 10, "share": 1 / 6}
            rows += table.with_peers(
                "heap event, %d thread%s, ns added (%s)" % (threads, "s"[:threads - 1], words),
                peer(bench.ours, runs[threads], value)[1], peer(bench.bare, runs[threads], each(key, "events"))[1],
                [peer(tool, runs[threads], value) for tool in (bench.lttng, bench.heaptrack)], **target)
    value = each("cpu_ns", "events")

    def growth(tool):
        name, one = peer(tool, runs[1], value)
        return name, one if isinstance(one, str) else peer(tool, runs[2], value)[1] / one
    rows += table.with_peers("CPU per event, 2 threads / 1 thread", growth(bench.ours)[1], growth(bench.bare)[1],
                             [growth(bench.heaptrack), growth(bench.lttng)], "<= 1.2", limit=1.2)
    for threads in (1, 2):
        cost = median([r["collector_ns"] / r["recorded"] for r in runs[threads]["intercept"]])
        rows += table.with_peers("collector CPU per event, %d thread%s, ns" % (threads, "s"[:threads - 1]), cost,
                                 None, [], "<= 12", limit=12)
    return rows


def nvtx(bench):
    runs = bench.interleave("nvtx", bench.program("nvtx", NVTX_PAIRS), [], after=collector_cost(bench))
    if not runs["bare"][0]["pairs"] and not runs["intercept"][0]["pairs"]:
        return [table.row("NVTX push+pop pair, ns", "no NVTX here")]
    pair = peer(bench.ours, runs, each("cpu_ns", "pairs"))[1]
    cost = median([r["collector_ns"] / r["recorded"] for r in runs["intercept"]])
    return table.with_peers("NVTX push+pop pair, ns (program's CPU)", pair,
                            runs["bare"][0].get("cpu_ns", 0) / NVTX_PAIRS, [], "<= 30", limit=30) + \
        [table.row("collector CPU per NVTX event, ns", cost)]


CUDA_WORDS = {"launch": "CUDA launch", "copy": "cudaMemcpyAsync", "plain": "cudaEventRecord",
              "memory": "cudaMalloc, cudaFree", "step": "launches of a step", "distinct": "launches at random"}


def cuda(bench):
    """Calls of CUDA's runtime over one that does nothing: no GPU. tests/bench/cuda.c says what each word is."""
    peers = [bench.uftrace, bench.uftrace_arguments]

    def run(word, calls, threads, burst):
        return bench.interleave("cuda", bench.program("cuda", word, calls, threads, burst), peers,
                                after=cuda_look(bench))

    def rows_of(what, found, key, **goal):
        return table.with_peers(what, peer(bench.ours, found, added(key, "calls"))[1],
                                peer(bench.bare, found, each(key, "calls"))[1],
                                [peer(tool, found, added(key, "calls")) for tool in peers], **goal)
    rows = []
    for word in CUDA_WORDS:
        for threads in (1, 2) if word in ("launch", "plain") else (1,):
            goal = {"target": "<= 1000", "limit": 1000} if (word, threads) == ("launch", 1) else {}
            rows += rows_of("%s, %d thread%s, ns a call added (program's CPU)"
                            % (CUDA_WORDS[word], threads, "s"[:threads - 1]),
                            run(word, CUDA_CALLS // 5, threads, CUDA_BURST), "cpu_ns", **goal)
    runs = {word: run(word, CUDA_CALLS, 1, CUDA_CALLS) for word in CUDA_WORDS}
    for key, words in (("cpu_ns", "program's CPU"), ("wall_ns", "wall")):
        rows += rows_of("CUDA launch without a pause, ns a call added (%s)" % words, runs["launch"], key)
    for word in CUDA_WORDS:
        rows.append(table.row("collector CPU per event, %s, ns" % CUDA_WORDS[word],
                              median([r["collector_ns"] / r["recorded"] for r in runs[word]["intercept"]])))
    for word, words in (("launch", "the same each time"), ("step", "a step of 300, again and again"),
                        ("distinct", "kernel, grid, block and stream at random")):
        rows += table.with_peers("bytes per launch: " + words, peer(bench.ours, runs[word], each("bytes", "calls"))[1],
                                 None, [peer(tool, runs[word], each("bytes", "calls")) for tool in peers],
                                 "<= 25", limit=25)
    return rows + cuda_reading(bench)


def cuda_look(bench):
    def look(tool, run):
        return {**collector_cost(bench)(tool, run), "bytes": tool.bytes(bench.path(tool))}
    return look


def cuda_reading(bench):
    rows = []
    for word in ("step", "distinct"):
        result = bench.once(bench.ours, bench.program("cuda", word, CUDA_CALLS, 1), "cuda", cuda_look(bench))
        for name in ("launches", "api"):
            reader = [bench.ours.report, name, bench.path(bench.ours) + ".evt"]
            speed = median([result["recorded"] / tools.Run(reader).check().cpu_ns * 1e3 for _ in range(bench.rounds)])
            rows.append(table.row("prof-report %s, %s, M events a second of CPU" % (name, CUDA_WORDS[word]), speed))
    return rows


def start(bench):
    """A program that does nothing: what start and end cost."""
    runs = bench.interleave("start", ["/bin/true"], [bench.heaptrack], rounds=4 * bench.rounds)

    def milliseconds(mine, bare):
        return (mine["run_wall_ns"] - bare["run_wall_ns"]) / 1e6
    return table.with_peers("start and end of /bin/true, ms added", peer(bench.ours, runs, milliseconds)[1],
                            median([r["run_wall_ns"] for r in runs["bare"]]) / 1e6,
                            [peer(bench.heaptrack, runs, milliseconds)])


def size(bench):
    """Bytes on disk per heap event, of the whole file."""
    subjects = [("heap program", bench.program("heap", 1, PAIRS), {}, False)]
    if bench.python:
        subjects += [("Python json and pickle", bench.script("roundtrip.py", JSON_ROUNDS),
                      {"PYTHONMALLOC": "malloc"}, True),
                     ("PyTorch training", bench.script("train.py", "small", 200), {}, True)]
    rows = []
    for what, command, env, is_python in subjects:
        rows += size_row(bench, what, command, env, is_python)
    return rows


def size_row(bench, what, command, env, is_python):
    def look(tool, run):
        path = bench.path(tool)
        if tool is bench.ours:
            totals = tool.totals(path, "alloc")
            bench.heap_events = totals["allocations"] + totals["frees"]
        result = {"bytes": tool.bytes(path), "lost": tool.discarded if tool is bench.lttng else 0}
        if tool is bench.heaptrack:
            result["interpreted"] = os.path.getsize(tool.interpret(path))
        return result
    runs = {}
    for tool in [bench.ours, bench.heaptrack, bench.lttng] + [bench.memray] * is_python:
        if not tool.missing():
            runs[tool] = bench.once(tool, command, "size", look, env)
    events = bench.heap_events

    def per_event(tool, key="bytes"):
        return runs[tool][key] / (events - runs[tool]["lost"]) if tool in runs else "install " + tool.package
    peers = [("heaptrack, interpreted", per_event(bench.heaptrack, "interpreted")),
             ("heaptrack, raw", per_event(bench.heaptrack)), (bench.lttng.name, per_event(bench.lttng))]
    if is_python:
        peers.append((bench.memray.name, per_event(bench.memray)))
    return table.with_peers("bytes per heap event: %s, %.1f M events" % (what, events / 1e6),
                            per_event(bench.ours), None, peers, "<= 2.5", limit=2.5)


def report(bench):
    """Reading a file and making the default tables."""
    events = 4 * PAIRS
    command = bench.program("heap", 1, 2 * PAIRS)
    bench.once(bench.ours, command, "report")
    bench.ours.totals(bench.path(bench.ours))
    readers = {name: [bench.ours.report, name, bench.path(bench.ours) + ".evt"] for name in ("summary", "alloc")}
    if not bench.heaptrack.missing():
        bench.once(bench.heaptrack, command, "report")
        readers["heaptrack_print"] = ["heaptrack_print", "-f", bench.heaptrack.interpret(bench.path(bench.heaptrack))]
    speed = {name: [] for name in readers}
    for _ in range(bench.rounds):
        for name, reader in readers.items():
            run = tools.Run(reader).check()
            speed[name].append(events / run.cpu_ns * 1e3)
            bench.log.append({"group": "report", "tool": name, "cpu_ns": run.cpu_ns, "wall_ns": run.wall_ns})
    theirs = median(speed["heaptrack_print"]) if "heaptrack_print" in speed else "install heaptrack"
    rows = []
    for name in ("summary", "alloc"):
        ours = median(speed[name])
        met = ours >= 20 and (isinstance(theirs, str) or ours >= 3 * theirs)
        rows.append(table.row("prof-report %s, M events a second of CPU" % name, ours, None, "heaptrack_print", theirs,
                              ">= 20, >= 3 times", met))
    return rows


# CPU of a report over CPU of `zstd -dc` of the same file: what the file costs that nobody can save.
READ_LIMITS = {"ops": 2, "steps": 2, "nvtx": 2, "actions": 2, "api": 2, "launches": 2, "memcpy": 2, "tensors": 2,
               "alloc": 5, "summary": 6, "bottleneck": 6}
READ_EPOCHS = 12


def read(bench):
    """What each report costs on a training (scripts/demo_train.py), beside unpacking its file."""
    if not bench.python:
        return [table.row("reading a training", "no Python with torch (make demo)")]
    demo = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../demo_train.py")
    bench.once(bench.ours, [bench.python, os.path.normpath(demo), str(READ_EPOCHS)], "read")
    file = bench.path(bench.ours) + ".evt"
    commands = {"zstd": ["zstd", "-dc", file]}
    commands.update((name, [bench.ours.report, name, file]) for name in READ_LIMITS)
    runs = {name: [] for name in commands}
    for _ in range(bench.rounds):
        for name, command in commands.items():
            run = tools.Run(command).check()
            runs[name].append(run)
            bench.log.append({"group": "read", "tool": name, "cpu_ns": run.cpu_ns, "wall_ns": run.wall_ns})
    cpu = {name: median([run.cpu_ns for run in those]) for name, those in runs.items()}
    rows = [table.row("zstd -dc of the file, ms of CPU", cpu["zstd"] / 1e6)]
    for name, limit in READ_LIMITS.items():
        ratio = cpu[name] / cpu["zstd"]
        wall = median([run.wall_ns / run.cpu_ns for run in runs[name]])
        rows.append(table.row("prof-report %s, CPU over that of zstd -dc" % name, ratio, None, "", None,
                              "<= %d" % limit, ratio <= limit))
        rows.append(table.row("prof-report %s, wall time over CPU" % name, wall, None, "", None, "<= 0.6", wall <= 0.6))
    return rows


def train(bench):
    rows = []
    for what, steps, limit in (("small", SMALL_STEPS, 1.10), ("large", LARGE_STEPS, 1.01)):
        if not bench.python:
            return [table.row("PyTorch training, slow-down", "no Python with torch (make demo)")]
        runs = bench.interleave("train " + what, bench.script("train.py", what, steps),
                                [bench.memray, bench.native, bench.heaptrack], after=collector_cost(bench),
                                slow=(bench.memray, bench.native, bench.heaptrack))
        bare = median([r["wall_ns"] / r["steps"] / 1e6 for r in runs["bare"]])
        for key, words in (("wall_ns", "wall"), ("cpu_ns", "program's CPU")):
            peers = [peer(tool, runs, slowdown(key)) for tool in (bench.heaptrack, bench.memray, bench.native)]
            goal = {"target": "<= %.2f" % limit, "limit": limit} if key == "wall_ns" else {}
            rows += table.with_peers("PyTorch, steps of %.1f ms, slow-down (%s)" % (bare, words),
                                     peer(bench.ours, runs, slowdown(key))[1], 1.0, peers, **goal)
        rows.append(table.row("PyTorch, steps of %.1f ms: M events of the run, import included" % bare,
                              median([r["recorded"] / 1e6 for r in runs["intercept"]])))
        rows.append(table.row("PyTorch, steps of %.1f ms: collector CPU per event, ns" % bare,
                              median([r["collector_ns"] / r["recorded"] for r in runs["intercept"]])))
    return rows


def imports(bench):
    if not bench.python:
        return [table.row("import torch, slow-down", "no Python with torch (make demo)")]
    slow = (bench.memray, bench.native, bench.heaptrack)
    runs = bench.interleave("import", [bench.python, "-c", "import torch"], [bench.heaptrack],
                            slow=slow)
    # memray runs files only
    script = bench.script("import_torch.py")
    for tool in (bench.memray, bench.native):
        if not tool.missing():
            runs[tool.name] = [bench.once(tool, script, "import")]
    peers = [peer(tool, runs, slowdown("run_wall_ns")) for tool in (bench.memray, bench.native, bench.heaptrack)]
    bare = median([r["run_wall_ns"] for r in runs["bare"]])
    return table.with_peers("import torch (%.1f s), slow-down (wall)" % (bare / 1e9),
                            peer(bench.ours, runs, slowdown("run_wall_ns"))[1], 1.0, peers, "<= 1.05", limit=1.05)


GROUPS = {"heap": heap, "nvtx": nvtx, "cuda": cuda, "start": start, "size": size, "report": report, "read": read,
          "train": train, "import": imports}
