#!/bin/bash
# INTERCEPT_GPU=sums: GPU time by operator, label, step and phase of a training over the fake CUDA is that of a recording with each kernel, and no table says what it cannot know.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_cuda_torch eager
fake=$BUILD/fake
# the fake's kernels have their own durations whatever the machine does, and no phase begins before the work of the last one ended
cat >train.py <<'END'
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(3))).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, foreach=False)
optimizer.register_step_post_hook(lambda *_: torch.cuda.synchronize())  # within the scope that ends the step
batch = torch.randn(16, 64)
for number in range(12):
    optimizer.zero_grad()
    with torch.profiler.record_function("to the device"):
        given = batch.cuda()
    loss = net(given).square().mean()
    torch.cuda.synchronize()
    loss.backward()
    torch.cuda.synchronize()
    with torch.profiler.record_function("update"):
        optimizer.step()
END
record() { # NAME
	INTERCEPT_TRACE=-alloc,-tensors,-imports INTERCEPT_OUTPUT=$PWD/$1.evt \
		LD_PRELOAD=$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13 \
		"$PYTHON" train.py >"$1.out" 2>&1 || fail "$1: $(cat "$1.out")"
	"$REPORT" check "$1.evt" >out 2>&1 || fail "$1: check: $(cat out)"
}
export FAKE_CUDA_KERNELS='*=20000'
INTERCEPT_GPU=each record each
INTERCEPT_GPU=sums record sums
[[ $("$REPORT" dump sums.evt | grep -cE ' gpu_(kernel|copy|set) ') == 0 ]] || fail "single kernels are in the recording of sums"
for name in each sums; do
	"$REPORT" ops --format json "$name.evt" >"$name.ops"
	"$REPORT" steps --format json "$name.evt" >"$name.steps"
done
python3 -S - <<'END' || fail "sums differ"
import json

def rows(path, *keys):
    report = json.load(open(path))
    return {tuple(row[key] for key in keys): row for row in report["rows"]}, report["totals"]

def same(what, one, other):
    assert one == other, (what, one, other)

each, each_totals = rows("each.ops", "name", "scope")
sums, sums_totals = rows("sums.ops", "name", "scope")
same("operators", sorted(each), sorted(sums))
busy = 0
for key, row in each.items():
    for column in "self_cuda_ns", "total_cuda_ns":
        same((key, column), row[column], sums[key][column])
    busy += row["self_cuda_ns"] > 0
assert busy > 5, busy
assert each["to the device", "user"]["total_cuda_ns"] > 0 and each["update", "user"]["total_cuda_ns"] > 0
same("ops", each_totals["self_cuda_ns"], sums_totals["self_cuda_ns"])

each, each_totals = rows("each.steps", "step")
sums, sums_totals = rows("sums.steps", "step")
same("steps", sorted(each), sorted(sums))
# work of a step ends in it; that of backward may end behind its last function, in phase other
groups = [("kernel_ns",), ("memcpy_ns",), ("memset_ns",), ("gpu_ns",), ("gpu_forward_ns",),
          ("gpu_optimizer_ns",), ("gpu_backward_ns", "gpu_other_phase_ns")]
for key, row in each.items():
    if key[0] == 0:
        continue  # begins with the program's first operator
    for group in groups:
        one, other = (sum(of[name] for name in group) for of in (row, sums[key]))
        # a kernel takes 20 us; where one follows the other, their times are rounded
        assert abs(one - other) <= 2000, (key, group, one, other)
    for column in "runtime_ns", "operators_ns", "other_ns", "operators_running_ns":
        assert sums[key][column] is None, column
assert sums_totals["gpu_late"] == 0 and sums_totals["gpu_forward_ns"] > 0 and sums_totals["gpu_backward_ns"] > 0
END
"$REPORT" steps sums.evt >out 2>&1
grep -q 'INTERCEPT_GPU=sums' out || fail "steps does not say what is missing: $(cat out)"
expect sums.evt 'ops("--by", "shape").totals.gpu_left_out > 0' 'summary.totals.events_lost == 0'
expect each.evt '"gpu_left_out" not in ops.totals'
"$REPORT" bottleneck --format json sums.evt >advice.json
python3 -S - <<'END' || fail "bottleneck says what it cannot know"
import json

report = json.load(open("advice.json"))
assert report["totals"]["step_runtime_ns"] is None and report["totals"]["step_communication_ns"] is not None
assert not {row["id"] for row in report["rows"]} & {"no_device_time", "copies", "double_precision"}, [row["id"] for row in report["rows"]]
END
