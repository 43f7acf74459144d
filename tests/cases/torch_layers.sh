#!/bin/bash
# Modules of four models: FLOPs are those of torch.utils.flop_counter, backward functions those of ops, calls those of hooks, recomputed ones told apart.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
for model in Transformer ResNet MLP Recurrent "Transformer checkpoint"; do
	rm -f ./*.evt
	# shellcheck disable=SC2086
	set -- $model
	"$PYTHON" "$ROOT/tests/torch/layers.py" "$@" judge.json >out 2>err || fail "$model: $(tail -5 err)"
	INTERCEPT_TRACE=+modules,+shapes,-alloc run_traced "$PYTHON" "$ROOT/tests/torch/layers.py" "$@" >out 2>err || fail "$model: $(tail -5 err)"
	"$REPORT" modules --format json --limit 0 "$OUTPUT" >rows.json || fail "$model: modules"
	"$REPORT" modules --tree --format json --limit 0 "$OUTPUT" >tree.json || fail "$model: tree"
	"$REPORT" ops --format json --limit 0 "$OUTPUT" >ops.json || fail "$model: ops"
	"$REPORT" ops --by module --format json --limit 0 "$OUTPUT" >split.json || fail "$model: ops by module"
	"$REPORT" tensors --by module --format json --limit 0 "$OUTPUT" >tensors.json || fail "$model: tensors by module"
	"$REPORT" tensors --by device --format json --limit 0 "$OUTPUT" >devices.json || fail "$model: tensors by device"
	python3 -S "$ROOT/tests/torch/compare_layers.py" "$@" 2>why || fail "$model: $(tail -3 why)"
done
