#!/bin/bash
# DataLoader workers and inference in threads: every one has the operators that torch.profiler sees of the same code.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
# suite: test-all, a training beside torch.profiler, with workers
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
run_traced "$PYTHON" "$ROOT/tests/torch/workers.py" seen.json 2>err || fail "$(tail -5 err)"
expect_silence err
# 6 items in 2 workers and once more under torch.profiler; inference 4 times in 3 threads, twice in the main one
python3 -S "$ROOT/tests/torch/compare_parts.py" "$REPORT" "$OUTPUT" seen.json item=7:3:3 inference=14:4:1 2>&1 ||
	fail "not what torch.profiler sees"
