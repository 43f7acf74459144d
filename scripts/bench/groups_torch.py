# SPDX-License-Identifier: MIT
"""The groups about PyTorch's operators: what a callback takes, what training takes, how soon the table is there."""
import os

import groups
import table
import tools

BLOCKS = 600          # of tests/bench/operators.py
SMALL_STEPS = 500
LARGE_STEPS = 60
TABLE_STEPS = 1000
MANY_STEPS = 100000
FLOOR = 15            # ns above an empty callback
FLOOR_SHAPES = 150
EVERYTHING = {"TRACE": "+shapes,+modules"}

median = groups.median


def ours(bench, name=None, **settings):
    return tools.Intercept(bench.build, name, **settings)


# --- what a callback takes ---

class Subject:
    """One way to run tests/bench/operators.py: what the row says, with what, its word, and whether all that is
    added counts (allocation and tensors are seen without the callback) or the callback alone."""

    def __init__(self, what, tool, word="plain", whole=False):
        self.what, self.tool, self.word, self.whole = what, tool, word, whole
        self.results = []

    def added(self, bare):
        """ns an operator, in the median over the rounds."""
        if self.whole:
            return median([mine["on_ns"] - other["off_ns"] for mine, other in zip(self.results, bare.results)])
        return median([mine["on_ns"] - mine["off_ns"] for mine in self.results])


def subjects(bench):
    bare = Subject("bare", bench.bare)
    peers = {
        "empty": Subject("empty callback", bench.bare, "empty"),
        "clock": Subject("one that reads the clock twice", bench.bare, "empty-clock"),
        "inputs": Subject("empty callback that wants the inputs", bench.bare, "empty-inputs"),
        "profiler": Subject("torch.profiler", bench.bare, "profiler", True),
        "shapes": Subject("torch.profiler + shapes", bench.bare, "profiler,shapes", True),
        "memory": Subject("torch.profiler + memory", bench.bare, "profiler,memory", True),
        "stack": Subject("torch.profiler + stack", bench.bare, "profiler,stack", True),
        "all": Subject("torch.profiler + shapes + memory", bench.bare, "profiler,shapes,memory", True)}
    mine = {
        "torch": Subject("names", ours(bench, "names", TRACE="torch")),
        "shapes": Subject("names and shapes", ours(bench, "names and shapes", TRACE="torch,shapes")),
        "sampled": Subject("one in 100", ours(bench, "one in 100", TRACE="torch", OPERATORS=100)),
        "off": Subject("nothing recorded", ours(bench, "off", TRACE="nvtx"), "plain", True),
        "tensors": Subject("names and tensor memory", ours(bench, "tensors", TRACE="torch,tensors"), "plain", True),
        "default": Subject("default", ours(bench, "default"), "plain", True),
        "everything": Subject("everything", ours(bench, "everything", **EVERYTHING), "plain", True)}
    return bare, peers, mine


def operators(bench):
    """A callback, empty, ours and torch.profiler's."""
    if not bench.python:
        return [table.row("PyTorch operator, ns added", "no Python with torch (make demo)")]
    bare, peers, mine = subjects(bench)
    library = os.path.join(bench.folder, "libempty_callback.so")
    for _ in range(bench.rounds):
        for subject in (bare, *peers.values(), *mine.values()):
            command = bench.script("operators.py", library, subject.word, BLOCKS)
            subject.results.append(bench.once(subject.tool, command, "torch"))
    cost = {name: subject.added(bare) for name, subject in mine.items()}
    theirs = {name: subject.added(bare) for name, subject in peers.items()}
    return callback_rows(bare, peers, cost, theirs) + loop_rows(bench)


def callback_rows(bare, peers, cost, theirs):
    operator = median([result["off_ns"] for result in bare.results])

    def row(what, name, *names):
        return table.with_peers("operator: %s, ns added" % what, cost[name], operator,
                                [(peers[peer].what, theirs[peer]) for peer in names])

    def above(what, value, limit):
        return table.with_peers("operator: %s, ns above that callback" % what, value, None, [], "<= %d" % limit,
                                limit=limit)
    return row("names", "torch", "empty", "clock", "profiler") + \
        above("names", cost["torch"] - theirs["empty"], FLOOR) + \
        row("names and shapes", "shapes", "inputs", "shapes") + \
        above("names and shapes", cost["shapes"] - theirs["empty"], FLOOR_SHAPES) + \
        row("one in 100", "sampled") + \
        row("hooks only, nothing recorded", "off") + \
        row("names and tensor memory", "tensors", "memory") + \
        row("default, heap too", "default", "profiler") + \
        row("everything, shapes and modules too", "everything", "all", "stack")


def loop_rows(bench):
    """Collector's CPU time and bytes an operator, without those of the start: of a long run less a short one."""
    tool = ours(bench, "names", TRACE="torch")

    def look(tool, run):
        return {**tool.totals(bench.path(tool)), "bytes": tool.bytes(bench.path(tool))}
    short, long = [bench.once(tool, bench.script("operators.py", "-", "plain", blocks), "torch", look)
                   for blocks in (BLOCKS, 8 * BLOCKS)]

    def growth(key, per):
        return (long[key] - short[key]) / (long[per] - short[per])
    return [table.row("operator: collector CPU per event, ns", growth("profiler_cpu_ns", "events")),
            table.row("operator: bytes on disk, the same one again and again", growth("bytes", "operators"))]


# --- what training takes ---

def slowdowns(bench, size, steps, mine, peers):
    """{tool name: [result of each round]}; peers run once."""
    command = bench.script("train.py", size, steps)
    results = {}
    for turn in range(bench.rounds):
        for tool in [bench.bare] + mine + (peers if not turn else []):
            if tool.missing():
                continue
            try:
                result = bench.once(tool, command, "torch-train " + size, look_at_file(bench))
            except RuntimeError as error:
                print("bench: %s" % error, flush=True)
                result = {"failed": "not finished in %d s" % tool.limit if tool.limit else "failed"}
            results.setdefault(tool.name, []).append(result)
    return results


def look_at_file(bench):
    def look(tool, run):
        if not isinstance(tool, tools.Intercept):
            return {}
        totals = tool.totals(bench.path(tool))
        return {"collector_ns": totals["profiler_cpu_ns"], "recorded": totals["events"],
                "operators": totals["operators"], "bytes": tool.bytes(bench.path(tool))}
    return look


def slowdown(results, tool, key):
    if tool.name not in results:
        return "install " + tool.package
    failed = [result["failed"] for result in results[tool.name] if "failed" in result]
    if failed:
        return failed[0]
    return median([result[key] / bare[key] for result, bare in zip(results[tool.name], results["bare"])])


def training(bench):
    if not bench.python:
        return [table.row("PyTorch training, slow-down", "no Python with torch (make demo)")]
    names = ours(bench, "operators only", TRACE="torch")
    mine = [ours(bench, "default"), names, ours(bench, "everything", **EVERYTHING)]
    peers = [tools.TorchProfiler(), tools.TorchProfiler("shapes"), tools.TorchProfiler("memory"),
             tools.TorchProfiler("stack"), tools.TorchProfiler("shapes", "memory", "stack"),
             tools.Scalene(bench.python, "Scalene --cpu-only", "--cpu-only")]
    rows = []
    for size, steps, limits in (("small", SMALL_STEPS, (1.10, None, 1.25)), ("large", LARGE_STEPS, (1.01, None, 1.05))):
        asked = peers + [tools.Scalene(bench.python)] * (size == "small")  # it does not finish
        results = slowdowns(bench, size, steps, mine, asked)
        bare = median([r["wall_ns"] / r["steps"] / 1e6 for r in results["bare"]])
        for key, words in (("cpu_ns", "program's CPU"), ("wall_ns", "wall")):
            for tool, limit in zip(mine, limits):
                goal = {"target": "<= %.2f" % limit, "limit": limit} if limit and key == "wall_ns" else {}
                theirs = [(peer.name, slowdown(results, peer, key)) for peer in asked] if tool is mine[0] else []
                rows += table.with_peers("training, steps of %.1f ms, %s: slow-down (%s)" % (bare, tool.name, words),
                                         slowdown(results, tool, key), 1.0, theirs, **goal)
        for what, value in (("collector CPU per event, ns", "collector_ns recorded"),
                            ("bytes on disk an operator", "bytes operators")):
            key, per = value.split()
            rows.append(table.row("training, steps of %.1f ms, operators only: %s" % (bare, what),
                                  median([r[key] / r[per] for r in results[names.name]])))
    return rows


# --- how soon the table is there ---

def finished_table(bench, tool, size, steps, group):
    """A run and then the table of operators: its wall time with what is left of writing the file, and its memory."""
    def look(tool, run):
        path = bench.path(tool)
        report = tools.Run([tool.report, "ops", path + ".evt"], capture=True).check()
        totals = tool.totals(path)
        return {"table_ns": report.wall_ns, "table_cpu_ns": report.cpu_ns, "peak_bytes": report.peak_bytes,
                "bytes": tool.bytes(path), "collector_bytes": totals["profiler_memory_bytes"],
                "operators": totals["operators"], "recorded": totals["events"], "run_ns": run.wall_ns,
                "lost": totals["events_lost"]}
    return bench.once(tool, bench.script("train.py", size, steps), group, look)


def table_rows(what, result, peers):
    """peers: [(name, their result)]"""
    def row(words, key, unit, goal="", **limit):
        return table.with_peers("%s: %s" % (what, words), result[key] / unit, None,
                                [(name, theirs[key] / unit) for name, theirs in peers if key in theirs], goal, **limit)
    faster = {"goal": "<= 1/50", "limit": float("inf"), "share": 1 / 50} if peers else {}
    smaller = {"goal": "<= 1/10", "limit": float("inf"), "share": 1 / 10} if peers else {}
    return row("s to the finished table", "table_ns", 1e9, **faster) + \
        row("s of CPU for the table", "table_cpu_ns", 1e9, **faster) + row("MB of its file", "bytes", 1e6, **smaller) + \
        row("MiB of the collector at most", "collector_bytes", 1 << 20, "<= 64", limit=64) + \
        row("MiB of memory for the table", "peak_bytes", 1 << 20, "<= 256", limit=256)


def tables(bench):
    """After the same training. torch.profiler keeps its events in the program, whose peak is with the program's own."""
    if not bench.python:
        return [table.row("the table of operators", "no Python with torch (make demo)")]
    rows, peers = [], []
    for options in (("table",), ("memory", "table"), ("shapes", "memory", "table")):
        tool = tools.TorchProfiler(*options)

        def look(tool, run):
            return {"bytes": tool.bytes(bench.path(tool))}
        peers.append((tool.name, bench.once(tool, bench.script("train.py", "small", TABLE_STEPS), "torch-table", look)))
    for tool, theirs in ((ours(bench, "operators only", TRACE="torch"), peers[:1]),
                         (ours(bench, "default"), peers[1:2] + peers[:1]),
                         (ours(bench, "everything", **EVERYTHING), peers[2:])):
        result = finished_table(bench, tool, "small", TABLE_STEPS, "torch-table")
        rows += table_rows("%d steps, %s" % (TABLE_STEPS, tool.name), result, theirs)
    return rows


def many_steps(bench):
    """So many steps that a profiler that keeps its events in memory cannot."""
    if not bench.python:
        return [table.row("100,000 steps", "no Python with torch (make demo)")]
    rows = []
    for tool in (ours(bench, "operators only", TRACE="torch"), ours(bench, "default")):
        result = finished_table(bench, tool, "tiny", MANY_STEPS, "torch-100k")
        what = "%d steps, %s" % (MANY_STEPS, tool.name)
        rows += [table.row("%s: s of the run" % what, result["run_ns"] / 1e9),
                 table.row("%s: M events" % what, result["recorded"] / 1e6),
                 table.row("%s: M operators" % what, result["operators"] / 1e6)]
        rows += table_rows(what, result, [])
    return rows


GROUPS = {"torch": operators, "torch-train": training, "torch-table": tables}
ON_REQUEST = {"torch-100k": many_steps}
