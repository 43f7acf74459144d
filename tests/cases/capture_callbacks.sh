#!/bin/bash
# While nothing is captured PyTorch has no operator callback of ours; it is back for each range, on all threads and in workers.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >ranges.py <<'END'
import ctypes, glob, os, threading, torch
lib = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))[0])
ask = getattr(lib, "_ZN2at27getStepCallbacksUnlessEmptyENS_11RecordScopeE")  # of PyTorch 1.13 and later

def has_callbacks(scope):  # std::optional through a hidden pointer: nothing but zeros when there is none
    room = ctypes.create_string_buffer(4096)
    ask(room, scope)
    return any(room.raw)

x = torch.ones(1)
other_go, other_done = threading.Semaphore(0), threading.Semaphore(0)
def other():  # one operator whenever it is told
    for _ in range(8):
        other_go.acquire()
        x.mul(2)
        other_done.release()
thread = threading.Thread(target=other)
thread.start()
def both():
    x.mul(2)
    other_go.release()
    other_done.acquire()

both()
print("before", has_callbacks(0), has_callbacks(7))
for _ in range(3):
    with torch.profiler.record_function("on"):
        both()
        print("on", has_callbacks(0))
    both()
    print("off", has_callbacks(0), has_callbacks(7))
both()
thread.join()
END
INTERCEPT_CAPTURE=label:on run_traced "$PYTHON" ranges.py >out || fail "status $?"
expect_eq "callbacks" "$(tr '\n' ' ' <out)" 'before False True on True off False True on True off False True on True off False True '
expect_eq "operators of ranges" "$(json ops "$OUTPUT" 'row(name="aten::mul")["calls"]')" 6
INTERCEPT_OUTPUT=all.evt LD_PRELOAD=$LIB "$PYTHON" ranges.py >out || fail "status $?"
expect_eq "callbacks without ranges" "$(sort out | uniq -c | tr -s ' \n' ' ')" ' 1 before True True 3 off True True 3 on True '

# One that begins while nothing is captured, and ends while something is: neither its begin nor its end is recorded.
cat >within.py <<'END'
import torch

on = torch.profiler.record_function("on")
x = torch.ones(1, requires_grad=True)


class Opens(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        on.__enter__()
        return x * 2


with torch.profiler.record_function("on"):
    x.mul(2)
Opens.apply(x)  # the callback goes with the first operator after the label: this one still has it
x.mul(2)
on.__exit__(None, None, None)
END
INTERCEPT_CAPTURE=label:on INTERCEPT_OUTPUT=$PWD/within.evt LD_PRELOAD=$LIB "$PYTHON" within.py || fail "status $?"
dumped() {
	"$REPORT" dump within.evt | grep -c "$1"
}
expect_between "operators that begin" "$(dumped torch_begin)" 3 1000
expect_eq "operators that end" "$(dumped torch_end)" "$(dumped torch_begin)"

# A worker that was forked while nothing was recorded follows the schedule of its parent.
cat >workers.py <<'END'
import torch
class Data(torch.utils.data.Dataset):
    def __len__(self): return 12
    def __getitem__(self, i): return torch.ones(4).mul(i)
x = torch.nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([x], lr=0.1)
loader = torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=1, prefetch_factor=1, multiprocessing_context="fork")
for epoch in range(3):
    for batch in loader:
        optimizer.zero_grad()
        (x * batch).sum().backward()
        optimizer.step()
END
INTERCEPT_SCHEDULE=wait=8,active=6,repeat=1 INTERCEPT_OUTPUT=$PWD/workers.evt LD_PRELOAD=$LIB "$PYTHON" workers.py >out 2>err ||
	fail "status $?: $(cat err)"
written
calls=0
for pid in $(json processes "$PWD/workers.evt" '" ".join(str(row["pid"]) for row in rows if row["parent_pid"] in [r["pid"] for r in rows])'); do
	calls=$((calls + $(json ops "$PWD/workers.evt" 'sum(row["calls"] for row in rows if row["name"] == "aten::mul")' --process "$pid")))
done
# six steps are recorded; what the worker is ahead of them is not counted upon
((calls >= 2)) || fail "operators of workers while the schedule records: $calls"
