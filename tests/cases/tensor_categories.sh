#!/bin/bash
# Memory of tensors by what it is for: parameters, gradients and Adam's state to the byte, activations as autograd saved them.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
export PYTHONPATH=$ROOT/tests/torch:$PYTHONPATH INTERCEPT_TRACE=-alloc
runs=()
for run in Transformer,step Transformer,forward ResNet,forward MLP,func MLP,twice; do
	runs+=("$run,${run/,/.}.json")
done
run_traced "$PYTHON" "$ROOT/tests/torch/categories.py" "${runs[@]}" >out 2>err || fail "$(tail -5 err)"
expect_eq "runs" "$(wc -l <out)" ${#runs[@]}
while read -r run process; do
	mv "${run##*,}" counted.json
	python3 -S "$ROOT/tests/torch/compare_categories.py" "$REPORT" "$OUTPUT" cpu -p "$process" 2>why ||
		fail "$run: $(tail -1 why); $("$REPORT" tensors --by category -p "$process" "$OUTPUT")"
done <out
