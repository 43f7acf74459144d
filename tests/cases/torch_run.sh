#!/bin/bash
# Ranks that torchrun starts: recorded with it, files of one session, joined by prof-report from the first one's name.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
cat >rank.py <<'END'
import os
import torch
import torch.distributed
if not (torch.distributed.is_available() and torch.distributed.is_gloo_available()):
    os._exit(77)
torch.distributed.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(7):
    model(torch.randn(4, 8)).erf().sum().backward()
    optimizer.step()
torch.distributed.barrier()
os._exit(0)  # gloo of torch 2.15 now and then aborts in its own teardown, without intercept too
END
OMP_NUM_THREADS=1 run_traced "$PYTHON" -m torch.distributed.run --standalone --nproc-per-node=2 rank.py >out 2>err || {
	! grep -q 'exitcode *: 77' err || skip "this torch has no gloo"
	fail "$(tail -5 err)"
}
expect_silence err
expect_eq "files" "$(find . -name '*.evt' | wc -l)" 3
expect_eq "operators of both ranks" "$(json ops "$OUTPUT" 'row(name="aten::erf")["calls"]')" 14
expect_eq "reductions" "$(json ops "$OUTPUT" 'row(name="gloo:all_reduce")["calls"]')" 14
expect_eq "their self time, which may pass on another thread" "$(json ops "$OUTPUT" 'row(name="gloo:all_reduce")["self_cpu_ns"]')" 0
expect_eq "steps" "$(json steps "$OUTPUT" 'len(rows)')" 14
expect_eq "processes" "$(json processes "$OUTPUT" 'len(rows)')" 3
expect_eq "ranks" "$(json processes "$OUTPUT" 'sorted(str(row["rank"]) for row in rows)')" '["0", "1", "None"]'
expect_eq "steps of a rank" "$(json steps "$OUTPUT" '[sorted({row["rank"] for row in rows}), len(rows)]' --rank 1)" '[[1], 7]'
"$REPORT" check "$OUTPUT" >/dev/null || fail "check"
