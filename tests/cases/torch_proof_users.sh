#!/bin/bash
# A program's own profilers (torch.profiler with all it has, the older ones, cProfile) say the same with and without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
# suite: test-all, programs beside torch.profiler; torch_proof_models has the operators
need_torch eager
for run in 1 2; do
	"$PYTHON" "$ROOT/tests/torch/users.py" >bare.$run 2>err || fail "without us: $(tail -5 err)"
done
# torch.profiler gives memory and stacks to operators by time: some releases say something else every time
unsure='^rough'
cmp -s bare.1 bare.2 || unsure='^(rough|memory|stacks)'
for trace in alloc,nvtx,cuda,torch +shapes; do
	rm -f ./*.evt
	INTERCEPT_TRACE=$trace run_traced "$PYTHON" "$ROOT/tests/torch/users.py" >traced.out 2>err ||
		fail "$trace: $(tail -5 err)"
	grep -v 'no shapes are recorded' err >other.err
	expect_silence other.err "$trace"
	diff <(grep -vE "$unsure" bare.1 | tr , '\n') <(grep -vE "$unsure" traced.out | tr , '\n') >differs ||
		fail "$trace: what the profilers say differs: $(head -40 differs)"
done
