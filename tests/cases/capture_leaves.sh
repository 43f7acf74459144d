#!/bin/bash
# After a capture everything is as before it: PyTorch has no operator callback of ours, CUPTI reports no kernels (it rests after 1,250 launches), and nothing is recorded; both are on in each capture.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_cuda_torch eager
cat >train.py <<'END'
import ctypes, glob, os, sys, time, torch

lib = ctypes.CDLL(glob.glob(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))[0])
ask = getattr(lib, "_ZN2at27getStepCallbacksUnlessEmptyENS_11RecordScopeE")
cupti = ctypes.CDLL(os.environ["FAKE_CUPTI"])
CONCURRENT_KERNEL, MEMCPY = 10, 1


def has_callbacks(scope):  # std::optional through a hidden pointer: nothing but zeros when there is none
    room = ctypes.create_string_buffer(4096)
    ask(room, scope)
    return any(room.raw)


def has_kernels():
    return bool(cupti.cuda_fake_has_kind(CONCURRENT_KERNEL)), bool(cupti.cuda_fake_has_kind(MEMCPY))


net = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
batch = torch.ones(4, 8).cuda()
step = 0
with open("states", "w", buffering=1) as states:
    while not os.path.exists("stop"):
        optimizer.zero_grad()
        net(batch).sum().backward()
        print(has_callbacks(0), has_callbacks(7), *has_kernels(), file=states)
        optimizer.step()
        time.sleep(0.001)
END
fake=$BUILD/fake
export FAKE_CUPTI=$fake/libcupti.so.13
INTERCEPT_CAPTURE=trigger INTERCEPT_TRACE=-alloc,-imports,-tensors INTERCEPT_OUTPUT=$OUTPUT \
	LD_PRELOAD=$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13 \
	"$PYTHON" train.py 2>err &
program=$!
trap 'touch "$PWD/stop"; wait' EXIT
steps_are() { # NUMBER: at least
	(($(wc -l <states 2>/dev/null || echo 0) >= $1))
}
off="False True False False"
# shellcheck disable=SC2317 # eventually calls it
is_off() {
	[[ $(tail -n 2 states | head -n 1) == "$off" ]]
}
eventually "the training to begin" steps_are 5
for number in 1 2; do
	is_off || fail "before capture $number: $(uniq -c <states)"
	"$REPORT" capture --steps 3 "$program" >asked || fail "capture $number: status $?"
	eventually "all to be off behind capture $number" is_off
done
touch stop
wait "$program" || fail "status $?: $(cat err)"
written
python3 -S - <<'END' || fail "states: $(uniq -c <states)"
import itertools

off, on, rests_soon = "False True False False", "True True True True", "False True True True"
runs = [(state, len(list(same))) for state, same in itertools.groupby(open("states").read().splitlines())]
assert [state for state, _ in runs] == [off, on, rests_soon, off, on, rests_soon, off], runs
# three steps each; the callback comes at the edge of a step, and leaves at one
assert all(3 <= count <= 4 for state, count in runs if state == on), runs
END
"$REPORT" check "$OUTPUT" >out 2>&1 || fail "check: $(cat out)"
# kernels and operators lie between a start and the stop behind it
"$REPORT" dump "$OUTPUT" >dumped
python3 -S - <<'END' || fail "something was recorded outside of the captures"
captures, found = [], {"torch_begin": 0, "gpu_kernel": 0}
lines = [line.split() for line in open("dumped")]
for words in lines:
    if words[2] == "capture_start":
        captures.append([int(words[0]), None])
    elif words[2] == "capture_stop":
        captures[-1][1] = int(words[0])
assert len(captures) == 2, captures
for words in lines:
    if words[2] in ("torch_begin", "torch_begin_ex") and "scope=7" not in " ".join(words):
        assert any(begin <= int(words[0]) <= end for begin, end in captures), words
        found["torch_begin"] += 1
    found["gpu_kernel"] += words[2] == "gpu_kernel"
assert all(found.values()), found
END
