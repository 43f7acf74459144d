#!/bin/bash
# Memory of tensors: every block that torch.profiler sees is recorded, and the program's own torch.profiler sees what it saw without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch eager
cat >train.py <<'END'
import json, sys, threading, torch
from torch.profiler import profile, ProfilerActivity
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x, y = torch.randn(16, 1, 8, 8), torch.randint(0, 10, (16,))
def step():
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
def blocks(node, found):
    for event in node:
        if event.tag.name == "Allocation":
            fields = event.extra_fields
            found.append((event.start_time_ns, fields.ptr, fields.alloc_size, fields.total_allocated))
        blocks(event.children, found)
    return found
step()
old = torch.ones(1000)  # older than the profiler, freed while it runs: it warns, once
for turn in range(2):
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as p:
        for _ in range(3):
            step()
        thread = threading.Thread(target=lambda: torch.ones(777))
        thread.start()
        thread.join()
        old = None
        new = torch.ones(10 + turn)
    for row in sorted(p.key_averages(), key=lambda row: row.key):
        if row.key not in ("aten::ones", "aten::empty", "aten::fill_"):
            print(turn, row.key, row.count, row.cpu_memory_usage, row.self_cpu_memory_usage)
    seen = sorted(blocks(p.profiler.kineto_results.experimental_event_tree(), []))
    print(turn, [(size, total) for _, _, size, total in seen])
    step()
with profile(activities=[ProfilerActivity.CPU]) as p:  # one without memory
    step()
print([(row.key, row.count, row.cpu_memory_usage) for row in sorted(p.key_averages(), key=lambda row: row.key)])
json.dump(seen, open("seen.json", "w"))
END
"$PYTHON" train.py >bare.out 2>bare.err || fail "without intercept: $(tail -n 1 bare.err)"
run_traced "$PYTHON" train.py >traced.out 2>traced.err || fail "$(tail -n 1 traced.err)"
diff bare.out traced.out >&2 || fail "the program's own profiler shows something else"
# times and pids differ
diff <(sed 's/[0-9]//g' bare.err) <(sed 's/[0-9]//g' traced.err) >&2 || fail "standard error differs"
grep -q 'unknown size' traced.err || fail "the warning that the program had is gone"
"$REPORT" dump "$OUTPUT" >dump.txt
python3 -S - <<'END' || fail "the blocks differ from torch.profiler's"
import json, re
seen = json.load(open("seen.json"))  # of the second turn
events = []
for line in open("dump.txt"):
    m = re.search(r"^\s*(\d+) (\S+) +tensor_(alloc|free) ptr=(\w+) bytes=(\d+) device=(\d+)", line)
    assert m or " tensor_" not in line or " tensor_totals" in line, line
    if m:
        events.append((int(m[1]), m[2], m[3], int(m[4], 16), int(m[5])))
        assert m[6] == "0", line
# dump shows a frame's threads one after another; the profiler sees the thread that it was started on
events.sort(key=lambda event: event[0])
ours, live = [], {}
for _, thread, kind, address, size in events:
    if kind == "alloc":
        assert address not in live, address
        live[address] = size
    else:
        size = -live.pop(address)  # every free is of a block that we have seen
    if thread == events[0][1]:
        ours.append((address, size))
wanted = [(address, size) for _, address, size, _ in seen]
assert len(wanted) > 100
places = [i for i in range(len(ours)) if ours[i:i + len(wanted)] == wanted]
assert len(places) == 1, "found %d times" % len(places)
END

rm -f ./*.evt
INTERCEPT_TRACE=-tensors run_traced "$PYTHON" -c 'import torch; torch.ones(3)' || fail "with INTERCEPT_TRACE=-tensors"
expect_eq "blocks without the family" "$("$REPORT" dump "$OUTPUT" | grep -c ' tensor_')" 0

# who wanted a tensor is not the allocator that they all have, nor what makes any tensor
INTERCEPT_STACKS=tensors:native INTERCEPT_TRACE=tensors OUTPUT=functions.evt run_traced "$PYTHON" -c '
import torch
kept = torch.arange(1000000.0)
doubled = [torch.relu(kept) for i in range(5)]' || fail "functions: status $?"
json tensors functions.evt "[r['function'] for r in rows if r['bytes_allocated'] >= 4000000 and r['function'] != '(no stack)']" --by function >functions
for common in ::allocate empty_cpu empty_generic set_output_ wrap_kernel_functor callWithDispatchKey; do
	! grep -qF -- "$common" functions || fail "by function: $(cat functions)"
done
grep -qE 'clamp_min|relu' functions || fail "by function, no relu: $(cat functions)"
"$REPORT" tensors --by stack --raw-stacks --format json --limit 0 functions.evt | grep -qF 'Allocator::allocate' ||
	fail "--raw-stacks has not all of them"
