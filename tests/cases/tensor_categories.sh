#!/bin/bash
# Memory of tensors by what it is for: parameters, gradients and Adam's state to the byte, activations as autograd saved them.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
export PYTHONPATH=$ROOT/tests/torch:$PYTHONPATH INTERCEPT_TRACE=-alloc
while read -r model moment; do
	rm -f ./*.evt
	run_traced "$PYTHON" "$ROOT/tests/torch/categories.py" "$model" "$moment" counted.json >out 2>err || fail "$model: $(tail -5 err)"
	python3 -S "$ROOT/tests/torch/compare_categories.py" "$REPORT" "$OUTPUT" cpu 2>why || fail "$model, $moment: $(tail -1 why); $("$REPORT" tensors --by category "$OUTPUT")"
done <<'END'
Transformer step
Transformer forward
ResNet forward
END
