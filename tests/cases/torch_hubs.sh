#!/bin/bash
# Models of transformers and torchvision: FLOPs by module are flop_counter's, sums are the operators', memory by category is PyTorch's own count.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# suite: test-all, the packages are a download
# timeout: 900
need_torch eager
folder=$(fetched hubs)
[[ -e $folder/made-of ]] || skip "no transformers and torchvision (scripts/pip-folder.sh hubs installs them)"
export PYTHONPATH=$folder:$ROOT/tests/torch${PYTHONPATH:+:$PYTHONPATH} OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1

models=(ResNet VisionTransformer BertForSequenceClassification LlamaForCausalLM)
declare -A process=()
hubs() { # what is recorded, or nothing; arguments of hubs.py
	local model run number all start=()
	[[ ! $1 ]] || start=(run_traced)
	rm -f ./*.evt
	all=$(IFS=,; echo "${models[*]}")
	INTERCEPT_TRACE=$1,-alloc "${start[@]}" "$PYTHON" "$ROOT/tests/torch/hubs.py" "$2" "$all" "${@:3}" >out 2>err || fail "$*: $(tail -5 err)"
	while read -r model run number; do
		process[$model $run]=$number
	done <out
}
say() { # file, process, report and its options
	"$REPORT" "${@:3}" -p "$2" --format json --limit 0 "$OUTPUT" >"$1" || fail "$*"
}

hubs '' layers judge.{}.json
hubs +modules,+shapes layers forward train
for model in "${models[@]}"; do
	mv "judge.$model.json" judge.json
	say forward.json "${process[$model forward]}" modules
	trained=${process[$model train]}
	say rows.json "$trained" modules
	say tree.json "$trained" modules --tree
	say ops.json "$trained" ops
	say split.json "$trained" ops --by module
	say tensors.json "$trained" tensors --by module
	say devices.json "$trained" tensors --by device
	python3 -S "$ROOT/tests/torch/compare_layers.py" "$model" forward 2>why || fail "$model: $(tail -3 why)"
done
run='forward,counted.{}.json'
hubs +tensors categories "$run"
for model in "${models[@]}"; do
	mv "counted.$model.json" counted.json
	python3 -S "$ROOT/tests/torch/compare_categories.py" "$REPORT" "$OUTPUT" cpu -p "${process[$model $run]}" 2>why ||
		fail "$model, by category: $(tail -1 why)"
done
