# SPDX-License-Identifier: MIT
"""What a stack on an allocation costs: ours beside heaptrack's and libunwind's unw_backtrace().

memray traces Python programs only; `B=train` has it with --native.
"""
import table
import tools

PAIRS = {"same": 1000000, "leaf": 1000000, "root": 100000}  # malloc+free a thread
DEPTHS = (5, 10, 20, 40, 80)


def least(runs):
    """CPU time of a pair: the least of the rounds, as other programs only add to it."""
    return min(run["cpu_ns"] / (run["events"] / 2) for run in runs)


def measure(bench, stacks, mode, depth, threads):
    """{tool name: ns a pair}, all of one round by turns."""
    command = bench.program("stacks", mode, depth, PAIRS[mode], threads)
    runs = {}
    for turn in range(bench.rounds):
        for tool in [bench.bare, *stacks, bench.heaptrack]:
            if tool.missing() or (tool is bench.heaptrack and turn):
                continue
            runs.setdefault(tool.name, []).append(bench.once(tool, command, "stacks"))
        if not bench.heaptrack.missing():  # its package brings libunwind8
            runs.setdefault("unw_backtrace", []).append(bench.once(bench.bare, command + ["unwind"], "stacks"))
    return {name: least(results) for name, results in runs.items()}


def stacks(bench):
    """Nanoseconds that a stack adds to an allocation and its free."""
    common = {"TRACE": "alloc", "SAMPLE": "0"}
    tools_of_ours = [tools.Intercept(bench.build, "intercept " + mode, STACKS=mode, **common) for mode in ("caller", "native")]
    rows = []
    for threads in (1, 2):
        for mode in PAIRS:
            for depth in DEPTHS:
                ns = measure(bench, tools_of_ours, mode, depth, threads)
                ours, bare = ns["intercept native"] - ns["intercept caller"], ns["bare"]
                peers = [(name, ns[name] - bare if name in ns else "install " + bench.heaptrack.package)
                         for name in ("unw_backtrace", bench.heaptrack.name)]
                wanted = (mode, depth) == ("same", 10)
                rows += table.with_peers("%s stack, depth %d, %d thread(s): ns added" % (mode, depth, threads), ours, bare,
                                         peers, "25" if wanted else "", 25 if wanted else None)
    return rows


GROUPS = {"stacks": stacks}
