#!/bin/bash
# Memory of tensors by what it is for: parameters, gradients and Adam's state to the byte, activations as autograd saved them.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
while read -r model moment; do
	rm -f ./*.evt
	INTERCEPT_TRACE=-alloc PYTHONPATH=$ROOT/tests/torch:$PYTHONPATH run_traced "$PYTHON" "$ROOT/tests/torch/categories.py" "$model" "$moment" counted.json >out 2>err || fail "$model: $(tail -5 err)"
	"$REPORT" tensors --by category --format json --limit 0 "$OUTPUT" >rows.json || fail "$model: tensors"
	"$REPORT" tensors --by device --format json --limit 0 "$OUTPUT" >device.json || fail "$model: by device"
	"$REPORT" tensors --by moment --format json --limit 0 --sort moment_ns "$OUTPUT" >moments.json || fail "$model: by moment"
	python3 "$ROOT/tests/torch/compare_categories.py" 2>why || fail "$model, $moment: $(tail -1 why); $("$REPORT" tensors --by category "$OUTPUT")"
done <<'END'
MLP step
Transformer step
Transformer forward
ResNet step
ResNet forward
END
