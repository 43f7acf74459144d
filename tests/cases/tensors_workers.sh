#!/bin/bash
# Memory of tensors in forked DataLoader workers and threads: each process's blocks are its own, shared memory is seen on both sides.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >work.py <<'END'
import threading, torch
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return 12
    def __getitem__(self, index):
        return torch.full((1234,), float(index))
seen = 0
for batch in DataLoader(Data(), batch_size=3, num_workers=2, multiprocessing_context="fork"):
    seen += batch.shape[0]
assert seen == 12
def work():
    with torch.profiler.record_function("in a thread"):
        for _ in range(7):
            torch.empty(4321)
threads = [threading.Thread(target=work) for _ in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
with torch.cuda.nvtx.range("a range"):
    kept = torch.empty(9999, dtype=torch.uint8)
import os
os._exit(0)
END
run_traced "$PYTHON" work.py >out 2>err || fail "$(tail -n 1 err)"
expect_silence err
expect "$OUTPUT" 'tensors.totals.address_reused == 0' \
	'tensors.row(op="in a thread", device="cpu").allocations == 21' \
	'tensors.row(op="in a thread", device="cpu").bytes_allocated == 21 * 4321 * 4' \
	'tensors.row(op="in a thread", device="cpu").size_increase == 0' \
	'tensors.row(op="in a thread (aten::empty)", device="cpu").self_allocations == 21' \
	'tensors.row(op="aten::full", device="cpu").bytes_allocated >= 12 * 1234 * 4' \
	'tensors("--by", "range").row(range="a range").live_bytes == 9999' \
	'len([row for row in tensors("--by", "thread").rows if row.allocations == 7]) == 3'
# a worker puts a batch together in shared memory, which the main process maps
"$REPORT" dump "$OUTPUT" | grep ' tensor_alloc .* bytes=14808 ' | cut -d ' ' -f 2 | cut -d : -f 1 | sort | uniq -c |
	tr -s ' ' >shared.txt
expect_eq "shared batches by process" "$(tr '\n' ',' <shared.txt)" " 4 1, 2 2, 2 3,"
