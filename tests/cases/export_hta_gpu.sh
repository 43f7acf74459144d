#!/bin/bash
# HolisticTraceAnalysis reads the Chrome trace of a training over the fake CUDA: its breakdowns are those of `utilization` and `kernels`.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_cuda_torch eager
folder=$(fetched viewers)
[[ -d $folder/hta ]] || skip "no HolisticTraceAnalysis (scripts/pip-folder.sh viewers installs it)"
fake=$BUILD/fake
cat >train.py <<'END'
import torch, torch.nn as nn
# No device thread of autograd: PyTorch aborts at its end when that thread still drops the last graph (pytorch issue 190489).
torch.autograd.set_multithreading_enabled(False)
net = nn.Sequential(nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, 10)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    x, y = torch.ones(64, 512).cuda(), torch.zeros(64, dtype=torch.long).cuda()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
END
# no steps: HTA leaves out what is before the first and after the last
INTERCEPT_STEP=off INTERCEPT_TRACE=-alloc,-imports run_traced env LD_PRELOAD="$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13" \
	"$PYTHON" train.py 2>err || fail "$(tail -5 err)"
mkdir trace
"$REPORT" export chrome "$OUTPUT" -o trace/rank0.json 2>err || fail "export: $(cat err)"
for table in utilization kernels gpu-copies; do
	"$REPORT" $table -f json --limit 0 "$OUTPUT" >"$table.json" || fail "$table"
done
HTA_DISABLE_NS_ROUNDING=1 PYTHONPATH=$folder "$PYTHON" - >hta.out 2>hta.err <<'END' || fail "$(tail -n 5 hta.err)"
import json
from hta.trace_analysis import TraceAnalysis


def near(theirs_us, ours_ns):  # traces have us with three places
    assert abs(theirs_us - ours_ns / 1000) < 0.01, (theirs_us, ours_ns)


def report(name):
    return json.load(open(name + ".json"))


analysis = TraceAnalysis(trace_dir="trace")
ours, = report("utilization")["rows"]
theirs, = analysis.get_temporal_breakdown(visualize=False).to_dict("records")
near(theirs["kernel_time(us)"], ours["span_ns"])
near(theirs["idle_time(us)"], ours["idle_ns"])
near(theirs["compute_time(us)"], ours["compute_ns"])
near(theirs["non_compute_time(us)"], ours["busy_ns"] - ours["compute_ns"])

types, kernels = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=1000, duration_ratio=1.0)
kernels = kernels[kernels["kernel_type"] == "COMPUTATION"]
rows = report("kernels")["rows"]
assert len(rows) > 10 and len(kernels) == len(rows), (len(rows), len(kernels))
near(kernels["sum (us)"].sum(), sum(row["total_ns"] for row in rows))
for theirs_ns, ours_ns in zip(sorted(kernels["sum (us)"]), sorted(row["total_ns"] for row in rows)):
    near(theirs_ns, ours_ns)

queue = analysis.get_queue_length_summary()
assert queue[("queue_length", "max")].max() == ours["queue_max"], (queue, ours)
print("the same")
END
expect_eq "HTA" "$(tail -n 1 hta.out)" "the same"
