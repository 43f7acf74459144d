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

. "$ROOT/tests/torch/judge_layers.sh"
models=(ResNet VisionTransformer BertForSequenceClassification LlamaForCausalLM)
names=$(IFS=,; echo "${models[*]}")
run_models '' layers "$names" judge.{}.json
run_models +modules,+shapes layers "$names" forward train
for model in "${models[@]}"; do
	mv "judge.$model.json" judge.json
	report_of forward.json "$model" forward modules
	judge_layers "$model" train forward
done
run='forward,counted.{}.json'
run_models +tensors categories "$names" "$run"
for model in "${models[@]}"; do
	mv "counted.$model.json" counted.json
	python3 -S "$ROOT/tests/torch/compare_categories.py" "$REPORT" "$OUTPUT" cpu -p "$(pid_of "$model" "$run")" 2>why ||
		fail "$model, by category: $(tail -1 why)"
done
