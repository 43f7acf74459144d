#!/bin/bash
# Frames of TorchScript that end on another thread, and labels around an await: each its own begin and end, no other operator touched.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 120
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >forks.py <<'END'
import os
import time
import warnings

import torch

warnings.simplefilter("ignore")


@torch.jit.script
def forked(x):
    future = torch.jit.fork(torch.sin, x)
    return torch.jit.wait(future)


@torch.jit.script
def plain(x):
    return torch.cos(x)


a = torch.ones(20, 20)
for _ in range(50):
    forked(a)
begin = time.perf_counter_ns()
plain(a)
took = time.perf_counter_ns() - begin
for _ in range(20):
    torch.mm(a, a)
with open("plain_ns", "w") as file:
    print(took, file=file)
# The pool's thread may still be at the end of a frame, and std::terminate() follows if Python ends before it.
while any(open("/proc/self/task/%s/stat" % task).read().rpartition(")")[2].split()[0] != "S"
          for task in os.listdir("/proc/self/task") if int(task) != os.getpid()):
    time.sleep(0.01)
END
run_traced "$PYTHON" forks.py >out 2>err || fail "status $?: $(cat err)"
ops() {
	json ops "$OUTPUT" "$1"
}
expect_eq "frames" "$(ops 'row(name="forked")["calls"]')" 50
expect_eq "what they fork" "$(ops 'row(name="aten::sin")["calls"]')" 50
expect_eq "products" "$(ops 'row(name="aten::mm")["calls"]')" 20
expect_eq "none is left open" "$(ops 'sum(r["open"] for r in rows)')" 0
expect_between "a frame that begins after them" "$(ops 'row(name="plain")["total_cpu_ns"]')" 1 "$(cat plain_ns)"
expect_eq "no share above the whole" "$(ops 'max(max(r["total_cpu_percent"], r["self_cpu_percent"]) for r in rows) <= 100')" true
"$REPORT" export chrome -o trace.json "$OUTPUT" >out 2>&1 || fail "export: $(cat out)"
python3 -S - <<'END' || fail "the trace"
import json
events = [e for e in json.load(open("trace.json"))["traceEvents"] if e.get("name") == "forked"]
whole, begins, ends = ([e for e in events if e["ph"] == phase] for phase in "Xbe")
# one that ends on the other thread when the next has begun is a begin and an end: slices of a thread must nest
assert len(whole) + len(begins) == 50 and len(begins) == len(ends), (len(whole), len(begins), len(ends))
assert len(events) == len(whole) + 2 * len(begins), events[:3]
assert all("end not recorded" not in e.get("args", {}) for e in events), events[:3]
assert len({e["ts"] + e["dur"] for e in whole} | {e["ts"] for e in ends}) == 50
END

cat >labels.py <<'END'
import asyncio
import time

from torch.profiler import record_function

spans = []  # odd or even; seconds within the label and around it


async def request(i):
    before = time.monotonic()
    with record_function("even" if i % 2 == 0 else "odd"):
        begun = time.monotonic()
        await asyncio.sleep(0.02 if i % 2 else 0.005)
        ends = time.monotonic()
    spans.append((i % 2, ends - begun, time.monotonic() - before))


async def main():
    limit = asyncio.Semaphore(8)

    async def one(i):
        async with limit:
            await request(i)

    await asyncio.gather(*[one(i) for i in range(200)])


def generator(kind, turns):
    for _ in range(turns):
        before = time.monotonic()
        try:
            with record_function("first" if kind == 2 else "second"):
                begun = time.monotonic()
                try:
                    yield
                    time.sleep(0.002)
                    yield
                finally:  # also where it is closed
                    ends = time.monotonic()
        finally:
            spans.append((kind, ends - begun, time.monotonic() - before))


async def streamed(kind):
    for _ in generator(kind, 20):
        await asyncio.sleep(0)
        yield


async def interleave():
    async for _ in streamed(2):
        async for _ in streamed(3):
            break


asyncio.run(main())
made = [generator(2, 10), generator(3, 7), generator(2, 3)]
while made:
    made = [g for g in made if next(g, "done") != "done"]
asyncio.run(interleave())
with open("spans", "w") as file:
    for odd in range(4):
        of = [s for s in spans if s[0] == odd]
        print(int(sum(s[1] for s in of) * 1e6), int(sum(s[2] for s in of) * 1e6) + 1, file=file)
END
rm -f "$OUTPUT"
run_traced "$PYTHON" labels.py >out 2>err || fail "labels: status $?: $(cat err)"
{ read -r even_low even_high && read -r odd_low odd_high && read -r first_low first_high && read -r second_low second_high; } <spans || fail "no spans"
expect_between "time of the first generator's" "$(ops 'row(name="first")["total_cpu_ns"] // 1000')" "$first_low" "$first_high"
expect_between "time of the second generator's" "$(ops 'row(name="second")["total_cpu_ns"] // 1000')" "$second_low" "$second_high"
expect_eq "labels" "$(ops '(row(name="even")["calls"], row(name="odd")["calls"])')" "(100, 100)"
expect_between "time of the short ones" "$(ops 'row(name="even")["total_cpu_ns"] // 1000')" "$even_low" "$even_high"
expect_between "time of the long ones" "$(ops 'row(name="odd")["total_cpu_ns"] // 1000')" "$odd_low" "$odd_high"
expect_between "self time: each moment once" "$(ops 'sum(r["self_cpu_ns"] for r in rows)')" 1 "$(ops 'doc["session"]["end_ns"]')"
expect_eq "no share above the whole" "$(ops 'max(max(r["total_cpu_percent"], r["self_cpu_percent"]) for r in rows) <= 100')" true
expect_eq "none is left open" "$(ops 'sum(r["open"] for r in rows)')" 0
expect "$OUTPUT" 'all(r["percent"] <= 100 for r in actions.rows if r["percent"] is not None)'

# Greenlets that switch within operators: each operator has its own end.
PYTHONPATH=$(fetched guests):$(fetched eventlet)${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
"$PYTHON" -c 'import greenlet' 2>/dev/null || skip "no greenlet for $PYTHON (scripts/pip-folder.sh eventlet installs it); the rest did"
cat >switching.py <<'END'
import time

import greenlet
import torch

main = greenlet.getcurrent()
spans = {}  # name: ns within the operator, and around it


class Slow(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        within("Slow", 2)
        return x * 2


class Quick(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        within("Quick", 1)
        return x * 3


def within(name, turns):
    begun = time.monotonic_ns()
    for _ in range(turns):
        main.switch()
    spans.setdefault(name, [0, 0])[0] += time.monotonic_ns() - begun


def work(function, times):
    for _ in range(times):
        before = time.monotonic_ns()
        function.apply(x)
        spans[function.__name__][1] += time.monotonic_ns() - before


x = torch.ones(2)
greenlets = [greenlet.greenlet(work) for _ in range(3)]
for g, function, times in zip(greenlets, (Slow, Quick, Slow), (5, 9, 7)):
    g.switch(function, times)
while not all(g.dead for g in greenlets):
    for g in greenlets:
        time.sleep(0.002)
        if not g.dead:
            g.switch()
with open("spans", "w") as file:
    for name in "Slow", "Quick":
        print(*spans[name], file=file)
END
rm -f "$OUTPUT"
run_traced "$PYTHON" switching.py >out 2>err || fail "switching: status $?: $(cat err)"
{ read -r slow_low slow_high && read -r quick_low quick_high; } <spans || fail "no spans"
expect_eq "operators" "$(ops '(row(name="Slow")["calls"], row(name="Quick")["calls"], row(name="aten::mul")["calls"])')" "(12, 9, 21)"
expect_between "time of the slow ones" "$(ops 'row(name="Slow")["total_cpu_ns"]')" "$slow_low" "$slow_high"
expect_between "time of the quick ones" "$(ops 'row(name="Quick")["total_cpu_ns"]')" "$quick_low" "$quick_high"
expect_eq "none is left open" "$(ops '(sum(r["open"] for r in rows), totals["unmatched"])')" "(0, 0)"
