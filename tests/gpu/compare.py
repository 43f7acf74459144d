#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the checks of test-gpu compare. Prints what differs and exits with 1, or says what was equal.

compare.py counts PROF-REPORT TALLY.json RUN.evt [--failing]
    A program's own counts (tally.cuh) and the reports. --failing: there was no driver, all had to fail.
compare.py worked TALLY.json                           every call did what it was written for
compare.py nothing PROF-REPORT RUN.evt                 no CUDA call was recorded
compare.py outputs A.json B.json [IGNORED-KEY...]      the same but for these keys
compare.py kernels PROF-REPORT RUN.evt RANGE TRACE.json [--whole]
    Launches by kernel inside the NVTX range against a trace of torch.profiler of the same work in another
    run; RANGE - is all of it. --whole: no library launches anything past us, so the calls of each
    launching function are equal as well.
compare.py device PROF-REPORT RUN.evt RANGE TRACE.json KERNELS.json
    What the GPU ran inside the NVTX range, by kernel: as often as torch.profiler has it, which looked at the same run, and as
    long: all of it within TIME_APART. The kernels and their numbers are left in KERNELS.json for `again`.
compare.py again PROF-REPORT RUN.evt RANGE KERNELS.json   the same kernels as often, in a run without torch.profiler
compare.py ops PROF-REPORT RUN.evt RANGE OPS.json         GPU time by operator to 1 % as key_averages() has it
    (profiled.py), and at least as many calls
compare.py number PROF-REPORT RUN.evt RANGE RESULT.json [LOST [--captures]]
    As many kernels as the program (work.py, counts.cu) asked for; LOST: of which so many at most may be counted as lost;
    --captures: calls outside of them were not recorded.
compare.py windows PROF-REPORT RUN.evt KERNELS         in drawn steps (INTERCEPT_GPU_STEPS): so many kernels in each, all of
    them, and CUPTI left the process in between
compare.py static PROF-REPORT RUN.evt TALLY.json       kernels of a static runtime: those that its program counted
compare.py ratio WHAT BARE.json... -- TRACED.json...   medians of the key `ns` and their ratio
compare.py bytes RUN.evt LAUNCHES [EMPTY.evt]          bytes on disk for each launch
compare.py steps STEPS.json                            figures of make bench B=steps; events were lost, or a process failed
Figures are appended to the file $FIGURES as well, a line of JSON each.
"""

import collections
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys

# Called by the code that nvcc makes, not by the program's source: once for each kernel and object.
BY_THE_COMPILER = {"__cudaGetKernel"}
# Kernels that are PyTorch's own are compiled into libraries that call the shared runtime: none of them
# may be missing. Those of cuBLAS, cuDNN and the like are launched where interposition does not reach.
OF_TORCH = re.compile(r"\b(at|c10|torch|caffe2)::")


# Of all kernels' time, and of each a rounding: torch.profiler's traces have microseconds with three digits.
TIME_APART = 0.001
ROUNDING_NS = 1
OPS_APART = 0.01


def figure(name, unit, value):
    path = os.environ.get("FIGURES")
    if path:
        with open(path, "a") as file:
            file.write(json.dumps({"name": name, "unit": unit, "value": value}) + "\n")


def fail(lines):
    for line in lines:
        print(line)
    sys.exit(1)


def load(path):
    with open(path) as file:
        return json.load(file)


def report(program, name, path, *options):
    done = subprocess.run([program, name, "--format", "json", "--wait", "60", "--limit", "0", *options, path],
                          capture_output=True, text=True)
    if done.returncode or not done.stdout:
        fail(["prof-report %s: exit status %d: %s" % (name, done.returncode, done.stderr.strip())])
    document = json.loads(done.stdout)
    # an event whose stack could not be taken in time is there all the same
    losses = [loss for loss in document["losses"] if loss.get("count", 1) and loss["reason"] != "stack not recorded"]
    if losses or document["faults"]:
        fail(["%s: records were lost or damaged: %s %s" % (path, losses, document["faults"])])
    return document


def differences(what, got, wanted):
    """Lines for the keys whose values differ; a key that one side lacks differs."""
    return ["%s: %s: recorded %s, wanted %s" % (what, key, got.get(key, "nothing"), wanted.get(key, "nothing"))
            for key in sorted(set(got) | set(wanted), key=str) if got.get(key) != wanted.get(key)]


# --- counts of a program ---


def key_of_grid(row):
    numbers = re.findall(r"\d+", row["grid"]) + re.findall(r"\d+", row["block"])
    return " ".join([row["kernel"], *numbers, str(row["shared_bytes"])])


def sums(rows, key, *columns):
    """{key: [sum of each column]}"""
    totals = {}
    for row in rows:
        total = totals.setdefault(key(row), [0] * len(columns))
        for i, column in enumerate(columns):
            total[i] += row[column]
    return totals


def streams_of(rows):
    """Handles mean nothing: how many launches each stream got, by kind of stream."""
    found = collections.defaultdict(list)
    for row in rows:
        name = row["stream"]
        found[name if name in ("default", "per-thread") else "other"].append(row["calls"])
    return {kind: sorted(calls) for kind, calls in found.items()}


def streams_wanted(numbers):
    found = collections.defaultdict(list)
    for name, calls in numbers.items():
        kind = name.split()[0]
        found[kind if kind in ("default", "per-thread") else "other"].append(calls)
    return {kind: sorted(calls) for kind, calls in found.items()}


def by_name(column):
    return lambda row: row[column]


def compare_counts(program, tally_path, path, *options):
    tally = load(tally_path)
    calls = [row for row in report(program, "api", path)["rows"] if row["name"] not in BY_THE_COMPILER]
    launches = {by: report(program, "launches", path, "--names", "mangled", "--by", by)["rows"]
                for by in ("kernel", "grid", "stream", "thread")}
    rows = report(program, "device-memory", path)["rows"]
    memory = sums([row for row in rows if row["allocations"] or row["frees"]], by_name("kind"), "allocations", "frees",
                  "bytes_allocated", "peak_bytes", "live_bytes")
    checks = [
        ("api", sums(calls, by_name("name"), "calls", "errors"),
         {name: row[:2] for name, row in tally["api"].items()}),
        ("launches", sums(launches["kernel"], by_name("kernel"), "calls", "errors"),
         {name: row[:2] for name, row in tally["kernels"].items()}),
        ("launches --by grid", sums(launches["grid"], key_of_grid, "calls", "errors"),
         {name: row[:2] for name, row in tally["grids"].items()}),
        ("launches --by stream", streams_of(launches["stream"]), streams_wanted(tally["streams"])),
        ("launches --by thread", {"threads": sorted(row["calls"] for row in launches["thread"])},
         {"threads": sorted(tally["threads"].values())}),
        ("memcpy", sums(report(program, "memcpy", path)["rows"], by_name("kind"), "calls", "errors", "bytes"),
         tally["copies"]),
        ("device-memory", memory, {kind: row for kind, row in tally["memory"].items() if row[0]}),
    ]
    wrong = wrong_variables(rows, tally["variables"])
    if "--failing" in options:  # nothing made a stream
        checks = [check for check in checks if check[0] != "launches --by stream"]
    else:
        wrong += unexpected(tally)
    for what, got, wanted in checks:
        wrong += differences(what, got, wanted)
    if wrong:
        fail(wrong)
    print("equal: %d calls of %d functions, %d launches of %d kernels, %d copies, %d blocks of memory" % (
        sum(row[0] for row in tally["api"].values()), len(tally["api"]),
        sum(row[0] for row in tally["kernels"].values()), len(tally["kernels"]),
        sum(row[0] for row in tally["copies"].values()), sum(row[0] for row in tally["memory"].values())))


def wrong_variables(rows, bytes_wanted):
    """Variables of kernels (__device__) have no call: only CUPTI tells of them, where it was asked."""
    row = next((row for row in rows if row["kind"] == "variables"), None)
    if not row:
        return []
    if row["cupti_bytes"] < bytes_wanted:
        return ["device-memory: variables: recorded %d bytes, the program has %d" % (row["cupti_bytes"], bytes_wanted)]
    print("variables: %d of %d bytes, by CUPTI; the program's own have %d" % (
        row["cupti_allocations"], row["cupti_bytes"], bytes_wanted))
    return []


def unexpected(tally):
    return ["the program: %s, %d times: not what it was written for" % item
            for item in tally["unexpected"].items()]


def compare_worked(tally_path):
    wrong = unexpected(load(tally_path))
    if wrong:
        fail(wrong)


def compare_nothing(program, path):
    rows = report(program, "api", path)["rows"]
    if rows:
        fail(["%d calls of %s recorded, wanted none" % (row["calls"], row["name"]) for row in rows])
    print("equal: no CUDA call recorded, as documented for a static runtime")


def compare_outputs(first, second, *ignored):
    one, other = ({key: value for key, value in load(path).items() if key not in ignored}
                  for path in (first, second))
    if one != other:
        fail(["%s: %s | %s" % (key, str(one.get(key))[:300], str(other.get(key))[:300])
              for key in sorted(set(one) | set(other)) if one.get(key) != other.get(key)])
    print("equal: %s" % ", ".join(one))


# --- kernels beside torch.profiler ---


def demangler():
    """That of the C++ library, which torch.profiler uses too. A name that it does not know stays."""
    library = ctypes.CDLL("libstdc++.so.6")
    demangle = library.__cxa_demangle
    demangle.restype = ctypes.c_void_p
    demangle.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int))
    free = ctypes.CDLL(None).free
    free.argtypes = (ctypes.c_void_p,)

    def name_of(text):
        status = ctypes.c_int()
        found = demangle(text.encode(), None, None, status) if text.startswith("_Z") else None
        if not found:
            return text
        result = ctypes.string_at(found).decode()
        free(found)
        return result

    return name_of


def plain_function(name):
    """cudaLaunchKernel for all its variants: __ before it, _ptsz, and _v13000 as CUPTI names them."""
    return re.sub(r"(_ptsz)?(_v\d+)?$", "", name.lstrip("_"))


def trace_launches(path, name_of):
    """Kernels that ran, joined with the host call of the same correlation id:
    ({kernel: launches}, {function: launches}) of the runtime's calls, and {kernel: launches} of others."""
    events = load(path)
    events = events["traceEvents"] if isinstance(events, dict) else events
    hosts = {}
    for event in events:
        correlation = event.get("args", {}).get("correlation")
        # a call of the driver inside one of the runtime has the same id
        if event.get("cat") == "cuda_runtime" or (event.get("cat") == "cuda_driver" and correlation not in hosts):
            hosts[correlation] = (event["cat"], plain_function(event["name"]))
    kernels, functions, others = (collections.Counter() for _ in range(3))
    for event in events:
        if event.get("cat") != "kernel":
            continue
        category, function = hosts.get(event["args"].get("correlation"), ("unknown", "unknown"))
        if category == "cuda_runtime" and "Graph" not in function:
            kernels[name_of(event["name"])] += 1
            functions[function] += 1
        else:
            others[name_of(event["name"])] += 1
    return kernels, functions, others


def count_launches(program, path, filters, name_of):
    """({kernel: launches}, {function: calls}) as recorded."""
    kernels, functions = collections.Counter(), collections.Counter()
    for row in report(program, "launches", path, "--names", "mangled", *filters)["rows"]:
        kernels[name_of(row["kernel"])] += row["calls"]
    for row in report(program, "api", path, *filters)["rows"]:
        if "Launch" in row["name"] and not re.search("Graph|HostFunc", row["name"]):
            functions[plain_function(row["name"])] += row["calls"]
    return kernels, functions


def compare_functions(ours, theirs):
    """By name where the trace knows the names of launching functions, else their sum."""
    if all("Launch" in name for name in theirs):
        return differences("api", ours, theirs)
    print("torch.profiler does not name all launching functions: only their sum is compared")
    return differences("api", {"all": sum(ours.values())}, {"all": sum(theirs.values())})


def compare_kernels(program, path, span, trace, *options):
    name_of = demangler()
    theirs, their_functions, others = trace_launches(trace, name_of)
    ours, functions = count_launches(program, path, () if span == "-" else ("--range", span), name_of)
    missed = collections.Counter({name: count for name, count in theirs.items() if name not in ours})
    wrong = differences("launches", ours, {name: theirs[name] for name in ours if theirs[name]})
    wrong += ["launches: %s: recorded nothing, torch.profiler has %d" % item
              for item in (missed + others).items() if "--whole" in options or OF_TORCH.search(item[0])]
    if "--whole" in options:
        wrong += compare_functions(functions, their_functions)
    if not ours:
        wrong.append("no launch recorded in the range '%s'" % span)
    if wrong:
        fail(wrong)
    print("equal: %d launches of %d kernels, each by name" % (sum(ours.values()), len(ours)))
    print("torch.profiler's host calls: %s"
          % ", ".join("%s %d" % item for item in sorted(their_functions.items())))
    outside = missed + others
    print("launched by libraries where interposition does not reach: %d launches of %d kernels"
          % (sum(outside.values()), len(outside)))
    for name, count in outside.most_common():
        print("  %6d  %.160s" % (count, name))


# --- what the GPU ran ---


def device_kernels(program, path, span, may_lose=False, has_captures=False):
    """{kernel: [calls, total_ns]}, demangled, and how many were lost."""
    name_of = demangler()
    document = report(program, "kernels", path, "--names", "mangled", *(() if span == "-" else ("--range", span)))
    wrong = ["%s: %s = %d, wanted 0" % (path, key, document["totals"][key])
             for key in (() if may_lose else ("lost",)) + (() if has_captures else ("without_call",)) if document["totals"].get(key)]
    if wrong:
        fail(wrong)
    if document["totals"].get("clamped"):
        print("%d pieces of work seemed to begin before their call" % document["totals"]["clamped"])
    return sums(document["rows"], lambda row: name_of(row["name"]), "calls", "total_ns"), document["totals"]["lost"]


def trace_kernels(path):
    events = load(path)
    found = {}
    for event in events["traceEvents"] if isinstance(events, dict) else events:
        if event.get("cat") == "kernel":
            row = found.setdefault(event["name"], [0, 0])
            row[0] += 1
            row[1] += round(event["dur"] * 1000)
    return found


def counts_of(kernels):
    return {name: row[0] for name, row in kernels.items()}


def compare_device(program, path, span, trace, kernels):
    ours, theirs = device_kernels(program, path, span)[0], trace_kernels(trace)
    wrong = differences("kernels", counts_of(ours), counts_of(theirs))
    got, wanted = (sum(row[1] for row in kernels.values()) for kernels in (ours, theirs))
    calls = sum(row[0] for row in theirs.values())
    if abs(got - wanted) > TIME_APART * wanted + ROUNDING_NS * calls:
        wrong.append("kernels: recorded %d ns in all, torch.profiler has %d" % (got, wanted))
    if not ours:
        wrong.append("no kernel recorded in the range '%s'" % span)
    if wrong:
        fail(wrong)
    with open(kernels, "w") as file:
        json.dump(ours, file)
    print("equal: %d kernels of %d names; %d ns on the GPU, torch.profiler %d" % (calls, len(ours), got, wanted))


def compare_again(program, path, span, kernels):
    ours, before = device_kernels(program, path, span)[0], load(kernels)
    wrong = differences("kernels", counts_of(ours), counts_of(before))
    if wrong:
        fail(wrong)
    got, wanted = (sum(row[1] for row in kernels.values()) for kernels in (ours, before))
    print("equal: %d kernels without torch.profiler; %d ns on the GPU, with it %d" % (
        sum(row[0] for row in ours.values()), got, wanted))


def compare_ops(program, path, span, ops):
    """GPU time by operator, labels apart: ours and torch.profiler's, which looked at the same run."""
    rows = report(program, "ops", path, "--range", span)["rows"]
    ours = sums([row for row in rows if row["scope"] != "user"], by_name("name"), "calls", "self_cuda_ns")
    theirs = {}
    for name, calls, ns in load(ops):
        row = theirs.setdefault(name, [0, 0])
        row[0] += calls
        row[1] += ns
    names = [name for name in sorted({*ours, *theirs}) if any(side.get(name, (0, 0))[1] for side in (ours, theirs))]
    wrong, more = [], 0
    for name in names:
        (calls, got), (their_calls, wanted) = (side.get(name, (0, 0)) for side in (ours, theirs))
        more += max(calls - their_calls, 0)
        if calls < their_calls or abs(got - wanted) > OPS_APART * wanted + ROUNDING_NS * calls:
            wrong.append("ops: %s: recorded %d calls, %d ns on the GPU, torch.profiler has %d, %d"
                         % (name, calls, got, their_calls, wanted))
    if not names:
        wrong.append("no operator with GPU time in the range '%s'" % span)
    if wrong:
        fail(wrong)
    if more:  # the DataLoader's thread that pins memory, say
        print("%d calls more than torch.profiler has, which does not look at all threads" % more)
    print("equal: %d operators; %d ns on the GPU, torch.profiler %d" % (
        len(names), *(sum(side.get(name, (0, 0))[1] for name in names) for side in (ours, theirs))))


def compare_number(program, path, span, result, most_lost=0, *options):
    wanted = load(result)
    rows, lost = device_kernels(program, path, span, int(most_lost) > 0, "--captures" in options)
    got = sum(row[0] for row in rows.values())
    # what the program did after the range may be lost, too
    if got > wanted["kernels"] or got + lost < wanted["kernels"] or lost > int(most_lost) or not wanted["value"]:
        fail(["kernels: recorded %d, lost %d, the program launched %d; its result is %s"
              % (got, lost, wanted["kernels"], "right" if wanted["value"] else "wrong")])
    print("equal: %d kernels%s" % (got, ", and %d counted as lost" % lost if lost else ""))


def compare_windows(program, path, kernels):
    """Of the kernel that a step launches; what came before the first step is another one."""
    drawn = [row["step"] for row in report(program, "steps", path)["rows"] if row["gpu_ns"] is not None]
    windows = sum(step - 1 not in drawn for step in drawn)
    told = report(program, "kernels", path)
    got = max(row["calls"] for row in told["rows"])
    left = [row for row in subprocess.run([program, "dump", path], check=True, capture_output=True, text=True).stdout.splitlines()
            if re.search(r" gpu_cupti state=13 ", row)]
    wrong = []
    if got != int(kernels) * len(drawn):
        wrong.append("%d kernels in %d drawn steps, wanted %d" % (got, len(drawn), int(kernels) * len(drawn)))
    if told["totals"]["lost"]:
        wrong.append("%d kernels were lost" % told["totals"]["lost"])
    if windows < 5 or len(left) < windows - 2:
        wrong.append("%d windows, and CUPTI left %d times" % (windows, len(left)))
    if wrong:
        fail(wrong)
    print("%d windows of %d steps, each with its %s kernels; CUPTI left %d times" % (windows, len(drawn), kernels, len(left)))


def compare_static(program, path, tally_path):
    """What failed did not run; what a graph holds may run more often than it was launched."""
    tally = load(tally_path)["kernels"]
    ran = {name: row[0] - row[1] for name, row in tally.items() if row[0] > row[1]}
    got = counts_of(sums(report(program, "kernels", path, "--names", "mangled")["rows"], by_name("name"), "calls"))
    missing = ["kernels: %s: recorded %s, launched %d" % (name, got.get(name, "nothing"), count)
               for name, count in ran.items() if got.get(name, 0) < count]
    if missing:
        fail(missing)
    print("seen: %d kernels of a static runtime, at least %d launched" % (sum(got.values()), sum(ran.values())))


def compare_memory(program, path, result):
    """What calls, CUPTI and PyTorch say of the device's memory: each of PyTorch's blocks is a call, each call is in CUPTI's records."""
    wanted = load(result)
    document = report(program, "device-memory", path, "--by", "device")
    totals = document["totals"]
    row = next((row for row in document["rows"] if row["device"] == 0 and row["kind"] == "device"), None)
    if not row:
        fail(["device-memory: no row of device 0"])
    wrong = ["%s = %d, wanted 0" % (key, totals[key]) for key in ("lost", "cupti_late", "frees_unmatched", "cupti_frees_unmatched")
             if totals[key]]
    if row["torch_reserved_bytes"] != wanted["reserved_bytes"]:
        wrong.append("PyTorch held %s bytes, the report has %s" % (wanted["reserved_bytes"], row["torch_reserved_bytes"]))
    for what, least in (("allocations", wanted["segments"]), ("peak_bytes", wanted["reserved_bytes"])):
        for key in (what, "cupti_" + what):
            if (row[key] or 0) < least:
                wrong.append("%s = %s, PyTorch alone has %d" % (key, row[key], least))
    if (row["cupti_allocations"] or 0) < row["allocations"]:
        wrong.append("CUPTI has %s blocks, calls asked for %d" % (row["cupti_allocations"], row["allocations"]))
    if wrong:
        fail(wrong)
    print("blocks: PyTorch %d, calls %d, CUPTI %d (%d of no call); peak: %d, %d, %d bytes; never freed: calls %d, CUPTI %d bytes" % (
        wanted["segments"], row["allocations"], row["cupti_allocations"], totals["cupti_without_call"], wanted["reserved_bytes"],
        row["peak_bytes"], row["cupti_peak_bytes"], row["live_bytes"], row["cupti_live_bytes"]))


# --- costs ---


def compare_ratio(what, *paths):
    split = paths.index("--")
    bare, traced = ([load(path)["ns"] for path in side] for side in (paths[:split], paths[split + 1:]))
    figure(what + ", bare", "ns", statistics.median(bare))
    figure(what + ", under intercept", "ns", statistics.median(traced))
    print("%s: bare %.0f ns, under intercept %.0f ns: %+.0f ns, ratio %.3f (medians of %d and %d runs)" % (
        what, statistics.median(bare), statistics.median(traced),
        statistics.median(traced) - statistics.median(bare),
        statistics.median(traced) / max(statistics.median(bare), 1), len(bare), len(traced)))


def compare_bytes(path, launches, *empty):
    difference = os.path.getsize(path) - sum(os.path.getsize(other) for other in empty)
    figure("on disk", "bytes a launch", difference / int(launches))
    print("on disk: %.2f bytes a launch (%s launches%s)" % (
        difference / int(launches), launches, "" if empty else ", the file's other events among them"))


def compare_steps(path):
    """Figures of make bench B=steps. Fails only where something was not measured."""
    document = load(path)
    for name, work in document["works"].items():
        figure("%s, bare" % name, work["unit"], work["bare"])
        for way, row in work["ways"].items():
            for key in ("over_bare", "off_over_bare"):
                if row[key] is not None:
                    figure("%s, %s, %s" % (name, way, key.replace("_", " ")), "ratio", row[key])
    lost = ["%s: %d events lost" % item for item in document["lost"].items() if item[1]]
    if document["failed"] or lost or not document["works"]:
        fail(["steps: %s failed" % name for name in document["failed"]] + lost + ["steps: see the end of what was printed"])


def main():
    commands = {"counts": compare_counts, "worked": compare_worked, "nothing": compare_nothing,
                "outputs": compare_outputs, "kernels": compare_kernels, "ratio": compare_ratio,
                "bytes": compare_bytes, "device": compare_device, "again": compare_again,
                "number": compare_number, "windows": compare_windows, "static": compare_static,
                "memory": compare_memory, "ops": compare_ops, "steps": compare_steps}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
