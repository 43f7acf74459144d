#!/bin/bash
# INTERCEPT_BUDGET beside INTERCEPT_HEAP_EVERY: the sample of the heap goes on between windows of detail, so what is allocated and what stays is that of all steps, within its error.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
cat >train.py <<'END'
import ctypes, torch

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
x = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([x], lr=0.1)
kept, all_of = 0, 0
for step in range(300):
    x.sum().backward()
    for number in range(6):
        size = 20000 + 1000 * (step % 7)
        block = libc.malloc(size)
        all_of += size
        if number % 2:
            kept += size
        else:
            libc.free(block)
    optimizer.step()
print(kept, all_of)
END
INTERCEPT_BUDGET=1/16,first=4 INTERCEPT_HEAP_EVERY=128K INTERCEPT_STACKS=caller run_traced "$PYTHON" train.py >out 2>err ||
	fail "status $?: $(cat err)"
read -r kept all_of <out
"$REPORT" alloc --format json --limit 0 "$OUTPUT" >alloc.json || fail "alloc: status $?"
"$REPORT" steps --format json "$OUTPUT" >steps.json || fail "steps: status $?"
"$REPORT" dump "$OUTPUT" >dumped
python3 -S - "$kept" "$all_of" <<'END' || fail "estimates"
import json, math, re, sys

kept, all_of = map(int, sys.argv[1:])
steps = json.load(open("steps.json"))["totals"]
assert 4 <= steps["detailed"] < steps["steps"] / 2, steps  # so most of it lies between windows
rows = [row for row in json.load(open("alloc.json"))["rows"] if "ffi" in row["caller"]]
got = sum(row["bytes_allocated"] for row in rows)
error = math.sqrt(sum(row["bytes_error"] ** 2 for row in rows))
print("allocated", got, all_of, error)
# six standard errors: once in 500 million runs
assert 0 < error < all_of / 5 and abs(got - all_of) <= 6 * error
live = sum(row["live_bytes"] for row in rows)
print("live", live, kept)
assert abs(live - kept) <= 6 * error
# births and deaths are recorded between windows, too
on, outside = True, set()
for line in open("dumped"):
    event = line.split()[2]
    if event in ("detail_start", "detail_stop"):
        on = event == "detail_start"
    elif not on:
        outside.add(event)
assert {"heap_sampled", "heap_sample_freed"} <= outside, outside
assert "torch_begin" not in outside and "malloc" not in outside
END
"$REPORT" alloc "$OUTPUT" | tr -s '\n ' ' ' | grep -q 'The sample of the heap is of all of them' || fail "alloc: $("$REPORT" alloc "$OUTPUT" | head)"
