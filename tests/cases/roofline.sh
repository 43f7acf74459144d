#!/bin/bash
# Report roofline: FLOPs and bytes are those of report pyprof, and shares are of the peaks that the recorded GPU has; without sizes it says so.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_cuda_torch eager
libraries=
for library in libcudart.so.13 libcuda.so.1 libcublas.so.13 libcublasLt.so.13 libcupti.so.13; do
	libraries+=:$BUILD/fake/$library
done
cat >train.py <<'END_PYTHON'
import torch

a, b = torch.zeros(256, 512, device="cuda"), torch.zeros(512, 128, device="cuda")
for _ in range(3):
    torch.mm(a, b)
    a * a
torch.cuda.synchronize()
END_PYTHON
for trace in +shapes -alloc; do
	INTERCEPT_TRACE=$trace INTERCEPT_OUTPUT=$PWD/run$trace.evt LD_PRELOAD=$LIB$libraries "$PYTHON" train.py >out 2>&1 || fail "$(cat out)"
done
for report in roofline pyprof; do
	"$REPORT" $report run+shapes.evt --format json >$report.json || fail "$report"
done
"$REPORT" dump run+shapes.evt | grep -m1 -o 'gpu_limits .*' >limits
"$REPORT" dump run+shapes.evt | grep -m1 -o 'gpu_device .*' >device
python3 -S - <<'END_PYTHON' || fail "the figures are not so"
import json, re

field = lambda text, name: int(re.search(r"\b%s=(\d+)" % name, text)[1])
limits, device = open("limits").read(), open("device").read()
assert field(limits, "major") == 9 and field(limits, "minor") == 0
a_second = field(limits, "multiprocessors") * field(limits, "clock_khz") * 1000
table = json.load(open("roofline.json"))
rows, kernels = table["rows"], json.load(open("pyprof.json"))["rows"]
assert len(rows) >= 2, rows
known = [row for row in kernels if row["flops"] or row["bytes"]]
assert sum(row["flops"] for row in rows) == sum(int(row["flops"] or 0) for row in known) == table["totals"]["flops"] > 0
assert sum(row["bytes"] or 0 for row in rows) == sum(int(row["bytes"] or 0) for row in known)
mm = {(row["op"], row["unit"]): row for row in rows}
row = mm["aten::mm", "fp32"]
assert row["calls"] == 3 and row["flops"] == 3 * 2 * 256 * 512 * 128, row
rate = row["flops"] / row["total_ns"] * 1e9
assert abs(row["flops_rate"] - rate) < 2
# 128 FMAs a clock; JSON has six digits
assert abs(row["compute_percent"] - 100 * rate / (a_second * 256)) < 1e-4 * row["compute_percent"], row
for row in rows:
    if row["memory_percent"] is None:
        continue
    rate = row["bytes"] / row["total_ns"] * 1e9
    assert abs(row["memory_percent"] - 100 * rate / (field(device, "bandwidth_kbs") * 1000)) < 1e-4 * row["memory_percent"], row
assert mm["aten::mul", "fp32"]["bound"] == "memory"
END_PYTHON
# Of a part of a GPU the peaks are not known: rates without shares, and it is said.
FAKE_CUPTI_MIG=1 INTERCEPT_TRACE=+shapes INTERCEPT_OUTPUT=$PWD/part.evt LD_PRELOAD=$LIB$libraries "$PYTHON" train.py >out 2>&1 || fail "$(cat out)"
expect part.evt 'len(roofline.rows) == '"$(json roofline run+shapes.evt 'totals["flops"] and len(rows)')" \
	'all(row.compute_percent is None and row.memory_percent is None and row.bound is None for row in roofline.rows)' \
	'any(row.flops_rate for row in roofline.rows)'
"$REPORT" roofline part.evt >out
expect_match "a part of a GPU" "$(tr -s '\n ' '  ' <out)" 'part of a GPU \(MIG\).* its peaks are not known, and no share is shown'
"$REPORT" roofline run-alloc.evt >out
expect_match "without sizes" "$(tr -s '\n ' '  ' <out)" 'no sizes of inputs were recorded: INTERCEPT_TRACE=\+shapes'
