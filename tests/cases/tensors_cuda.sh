#!/bin/bash
# Memory of tensors on "cuda": blocks, peaks, what is reserved and what failed are what torch.cuda says itself; the CPU's failure, too.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_cuda_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
fake=$BUILD/fake
cat >train.py <<'END'
import json, os, torch
torch.backends.cudnn.enabled = False
kept = [torch.empty(1000 * (i + 1), device="cuda") for i in range(50)]
model = torch.nn.Linear(64, 64).cuda()
x = torch.randn(32, 64).cuda()
for _ in range(5):
    model(x).sum().backward()
del kept[10:40]
big = torch.empty(100 << 20, device="cuda", dtype=torch.uint8)
del big
for failing in ("cuda", "cpu"):
    try:
        torch.empty(1 << 46, device=failing, dtype=torch.uint8)
        raise SystemExit("%s gave 64 TiB" % failing)
    except RuntimeError:
        pass
stats = torch.cuda.memory_stats()
json.dump({key: stats[key] for key in stats if key.count(".") == 2 and ".all." in key} |
          {"ooms": stats["num_ooms"], "now": torch.cuda.memory_allocated(), "held": torch.cuda.memory_reserved()},
          open("stats.json", "w"))
os._exit(0)  # so that what lives now lives at the end
END
preload=$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13
LD_PRELOAD=$preload INTERCEPT_OUTPUT=$OUTPUT "$PYTHON" train.py >out 2>err || fail "$(tail -n 1 err)"
expect "$OUTPUT" 'load("stats.json")["now"] == tensors.totals.cuda0_live_bytes' \
	'load("stats.json")["held"] == tensors.totals.cuda0_reserved_bytes' \
	'load("stats.json")["allocated_bytes.all.peak"] == tensors.totals.cuda0_peak_bytes' \
	'load("stats.json")["allocated_bytes.all.allocated"] == tensors.totals.cuda0_bytes_allocated' \
	'load("stats.json")["reserved_bytes.all.peak"] == tensors.totals.cuda0_reserved_peak_bytes' \
	'load("stats.json")["allocation.all.allocated"] == tensors.totals.cuda0_allocations' \
	'load("stats.json")["allocation.all.freed"] == tensors.totals.cuda0_frees' \
	'load("stats.json")["ooms"] == tensors.totals.cuda0_ooms == 1' 'tensors.totals.cpu_ooms == 1' \
	'tensors.totals.frees_unmatched == 0' 'tensors.totals.address_reused == 0' \
	'tensors.row(op="aten::empty", device="cuda:0").peak_bytes > 100 << 20' \
	'sum(row.peak_bytes for row in tensors.select(device="cuda:0")) == tensors.totals.cuda0_peak_bytes' \
	'sum(row.self_allocations for row in tensors.rows) == tensors.totals.allocations' \
	'tensors.row(op="aten::_to_copy (aten::empty_strided)", device="cuda:0").self_allocations == 3' \
	'tensors.row(op="aten::_to_copy", device="cuda:0").allocations == 3' \
	'tensors.row(op="aten::_to_copy", device="cuda:0").self_allocations == 0' \
	'tensors("--by", "device").row(device="cuda:0").reserved_peak_bytes == tensors.totals.cuda0_reserved_peak_bytes'
for by in op device range thread size; do
	expect "$OUTPUT" "tensors('--by', '$by').sum('live_bytes') == tensors.totals.live_bytes"
done
COLUMNS=200 "$REPORT" tensors "$OUTPUT" >table.txt || fail "the table"
grep -q '^cuda:0  peak .*, reserved .*; out of memory 1 time$' table.txt || fail "the table's head: $(head -n 5 table.txt)"

# what blocks are for, as PyTorch counts it; their sizes are not those of the tensors
rm -f ./*.evt
PYTHONPATH=$ROOT/tests/torch:$ROOT/tests/torch/rest:$PYTHONPATH LD_PRELOAD=$preload INTERCEPT_OUTPUT=$OUTPUT "$PYTHON" \
	"$ROOT/tests/torch/categories.py" Wide,kept,Wide.json,cuda ResNet,forward,ResNet.json,cuda >out 2>err || fail "$(tail -5 err)"
expect_eq "runs" "$(wc -l <out)" 2
while read -r run process; do
	mv "${run%%,*}.json" counted.json
	python3 -S "$ROOT/tests/torch/compare_categories.py" "$REPORT" "$OUTPUT" cuda:0 -p "$process" 2>why ||
		fail "$run: $(tail -1 why); $("$REPORT" tensors --by category -p "$process" "$OUTPUT")"
done <out
