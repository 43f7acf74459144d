#!/bin/bash
# Models of transformers and torchvision: FLOPs by module are flop_counter's, sums are the operators', memory by category is PyTorch's own count.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# suite: test-all, the packages are a download
# timeout: 900
need_torch
folder=$(fetched hubs)
[[ -e $folder/made-of ]] || skip "no transformers and torchvision (scripts/pip-folder.sh hubs installs them)"
export PYTHONPATH=$folder:$ROOT/tests/torch${PYTHONPATH:+:$PYTHONPATH} OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1

record() { # what is recorded, arguments of hubs.py
	local trace=$1
	shift
	rm -f ./*.evt
	INTERCEPT_TRACE=$trace,-alloc run_traced "$PYTHON" "$ROOT/tests/torch/hubs.py" "$@" >out 2>err || fail "$*: $(tail -5 err)"
}
say() { # file, report and its options
	local to=$1
	shift
	"$REPORT" "$@" --format json --limit 0 "$OUTPUT" >"$to" || fail "$*"
}

for models in ResNet,VisionTransformer BertForSequenceClassification,LlamaForCausalLM; do
	"$PYTHON" "$ROOT/tests/torch/hubs.py" layers $models {}.json >out 2>err || fail "$models: $(tail -5 err)"
done
for model in ResNet VisionTransformer BertForSequenceClassification LlamaForCausalLM; do
	mv $model.json judge.json
	record +modules,+shapes layers $model forward
	say forward.json modules
	record +modules,+shapes layers $model
	say rows.json modules
	say tree.json modules --tree
	say ops.json ops
	say split.json ops --by module
	say tensors.json tensors --by module
	say devices.json tensors --by device
	python3 "$ROOT/tests/torch/compare_layers.py" $model forward 2>why || fail "$model: $(tail -3 why)"
	record +tensors categories $model forward counted.json
	python3 "$ROOT/tests/torch/compare_categories.py" "$REPORT" "$OUTPUT" cpu 2>why || fail "$model, by category: $(tail -1 why)"
done
