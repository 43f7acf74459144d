# SPDX-License-Identifier: MIT
"""What is paid over bare in a PyTorch step, on the CPU or, where PyTorch sees one, on a GPU (tests/bench/steps.py).

Each process measures blocks with recording on and off in turn; the blocks with it on are compared with those of a bare process of
the same round, so that what capture-off costs is seen as well. Two floors are not ours: PyTorch's call of any callback, and CUPTI's
own work for whoever asks for kernels. Writes O/bench/steps.json and, with each block, steps-runs.json after each process.
"""
import json
import os
import subprocess
import sys
import time

import groups
import table
import tools

# How many blocks, and which processes: all, those that the targets are of, or the least that has something of all.
SIZES = {"full": (24, 2), "short": (8, 1), "quick": (3, 0)}
WORKS = {"step_ms": "step", "step_cpu_ms": "step, CPU time", "operator_us": "x.add_(1)", "operator_cpu_us": "x.add_(1), CPU time"}
ON = "label"  # of phase "bare,label"

median = groups.median


class Subject:
    """A process: what is preloaded, and the phases that it measures."""

    def __init__(self, name, tool, *phases, only_cuda=False, size=2):
        self.name, self.tool, self.phases = name, tool, phases
        self.only_cuda, self.size = only_cuda, size
        self.results = []


def ours(bench, name, trace=None, **options):
    settings = {"CAPTURE": "label:on", **({"TRACE": trace} if trace else {})}
    return Subject(name, tools.Intercept(bench.build, name, **settings), "bare,label", **options)


def subjects(bench):
    whole = tools.Intercept(bench.build, "default, the whole run")
    never = tools.Intercept(bench.build, "capture off, the whole run", CAPTURE="nvtx:never")
    return [
        Subject("bare", bench.bare, "bare", "bare,empty", "bare,profiler", size=0),
        Subject("CUPTI", bench.bare, "bare,kernels,floors,client", only_cuda=True, size=0),
        Subject("CUPTI, detached", bench.bare, "bare,detached", only_cuda=True),
        ours(bench, "default", size=0),
        Subject(whole.name, whole, "bare", size=1),
        Subject(never.name, never, "bare", size=1),
        ours(bench, "nvtx, cuda, gpu", "nvtx,cuda,gpu", only_cuda=True, size=1),
        ours(bench, "without alloc", "-alloc"),
        ours(bench, "without torch, tensors", "-torch,-tensors"),
        ours(bench, "without gpu", "-gpu", only_cuda=True)]


def device_of(bench):
    """cuda where PyTorch sees a GPU, else cpu."""
    done = subprocess.run([bench.python, "-c", "import torch; print('cuda' if torch.cuda.is_available() else 'cpu')"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, env=tools.beneath({}))
    if done.returncode:
        raise RuntimeError("torch cannot be imported: %s" % done.stderr.strip()[-200:])
    return done.stdout.split()[-1]


def measure(bench, subject, device, blocks):
    def look(tool, run):  # waits until the file is complete, so that no collector works beside the next
        return {"lost": tool.totals(bench.path(tool))["events_lost"]} if isinstance(tool, tools.Intercept) else {}
    command = bench.script("steps.py", device, blocks, *[phase for phase in subject.phases])
    environment = {"EMPTY_CALLBACK": os.path.join(bench.folder, "libempty_callback.so"),
                   "EMPTY_CUPTI": os.path.join(bench.folder, "libempty_cupti.so")}
    try:
        subject.results.append(bench.once(subject.tool, command, "steps", look, environment))
    except RuntimeError as error:
        print("bench: steps: %s: %s" % (subject.name, error), file=sys.stderr, flush=True)
        subject.results.append(None)


# --- what comes of it ---

def collect(found, work):
    """{way: {on, off, bare: a median for each round, None where a process failed}}"""
    ways = {}

    def add(way, turn, result, phase, word):
        blocks = result[work][phase]
        row = ways.setdefault(way, {"on": [], "off": []})
        row["on"].append((turn, median(blocks[word])))
        if word != "bare":
            row["off"].append((turn, median(blocks["bare"])))
    for subject in found:
        for turn, result in enumerate(subject.results):
            for phase in subject.phases if result else ():
                for word in phase.split(","):
                    if word == "bare" and phase != "bare":
                        continue
                    add(subject.name if word in ("bare", ON) else word, turn, result, phase, word)
    return ways


def over(values, bare):
    """The median over the rounds of the value over that of the bare process of the same round."""
    ratios = [value / bare[turn] for turn, value in values if turn in bare]
    return median(ratios) if ratios else None


def summary(found, work):
    ways = collect(found, work)
    bare = dict(ways.pop("bare")["on"]) if "bare" in ways else {}
    rows = {name: {"time": median([value for _, value in row["on"]]), "over_bare": over(row["on"], bare),
                   "off_over_bare": over(row["off"], bare), "on_over_off": over(row["on"], dict(row["off"])), "rounds": [value for _, value in row["on"]]}
            for name, row in ways.items()}
    return {"unit": work.rpartition("_")[2], "bare": median(bare.values()) if bare else None, "ways": rows}


def verdict(what, ways, mine, theirs, limit, key="over_bare"):
    """`mine` over `theirs` of the same rounds; over bare where there is no `theirs`."""
    value = ways.get(mine, {}).get(key)
    floor = ways.get(theirs, {}).get("over_bare") if theirs else 1.0
    if value is None or floor is None:
        return None
    return {"what": what, "way": mine, "peer": theirs or "bare", "value": value / floor, "limit": limit,
            "met": value / floor <= limit}


def verdicts(ways, device):
    floors = "floors" if device == "cuda" else "empty"
    found = [verdict("default over the floors together", ways, "default", floors, 1.15),
             verdict("default over torch.profiler", ways, "default", "profiler", 1.0),
             verdict("nvtx, cuda, gpu over a client of CUPTI", ways, "nvtx, cuda, gpu", "kernels", 1.1),
             verdict("capture off over bare", ways, "capture off, the whole run", None, 1.01)]
    return [row for row in found if row]


def write(bench, found, device, start):
    results = [result for subject in found for result in subject.results if result]
    works = {work: summary(found, work) for work in WORKS} if results else {}
    for work in works.values():
        work["targets"] = verdicts(work["ways"], device)
    document = {"date": time.strftime("%Y-%m-%d %H:%M"), "load": os.getloadavg()[0], "seconds": time.time() - start,
                "device": results[0]["device"] if results else None, "torch": results[0]["torch"] if results else None,
                "rounds": max(len(subject.results) for subject in found),
                "lost": {subject.name: sum(result.get("lost", 0) for result in subject.results if result)
                         for subject in found if isinstance(subject.tool, tools.Intercept)},
                "failed": [subject.name for subject in found if None in subject.results], "works": works,
                "usage": {subject.name: [result and result["usage"] for result in subject.results] for subject in found}}
    with open(os.path.join(bench.folder, "steps.json"), "w") as file:
        json.dump(document, file, indent=1)
    with open(os.path.join(bench.folder, "steps-runs.json"), "w") as file:
        json.dump([run for run in bench.log if run["group"] == "steps"], file)
    return document


WORDS = {"empty": "an empty callback", "kernels": "a bare client of CUPTI: kernels", "client": "one that asks for what we ask for",
         "floors": "empty callback and CUPTI's kernels", "profiler": "torch.profiler"}


def table_rows(document):
    rows = []
    for name, work in document["works"].items():
        what, targets = WORKS[name] + ": ", {}
        rows.append(table.row("%sbare on %s, %s" % (what, document["device"], work["unit"]), None, work["bare"]))
        for row in work["targets"]:
            targets.setdefault(row["way"], []).append(row)
        for way, row in work["ways"].items():
            for goal in targets.get(way, [None]):
                theirs = work["ways"].get(goal["peer"], {}).get("over_bare") if goal else None
                rows.append(table.row(what + WORDS.get(way, way) + ", times bare", row["over_bare"], 1.0,
                                      WORDS.get(goal["peer"], goal["peer"]) if goal else "", theirs,
                                      "<= %.2f" % goal["limit"] if goal else "", goal["met"] if goal else None))
            if row["off_over_bare"] is not None and way not in WORDS:
                rows.append(table.row(what + way + ", capture off between the blocks", row["off_over_bare"], 1.0))
    return rows


def steps(bench):
    if not bench.python:
        return [table.row("PyTorch step, times bare", "no Python with torch (make demo)")]
    device = device_of(bench)
    blocks, most = SIZES[bench.size]
    found = [subject for subject in subjects(bench) if (device == "cuda" or not subject.only_cuda) and subject.size <= most]
    start, document = time.time(), None
    for _ in range(bench.rounds):
        for subject in found:
            measure(bench, subject, device, blocks)
            document = write(bench, found, device, start)
    if not document["works"]:
        raise RuntimeError("no process ended well")
    return table_rows(document)


GROUPS = {"steps": steps}
