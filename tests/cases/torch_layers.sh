#!/bin/bash
# Modules of four models: FLOPs are those of torch.utils.flop_counter, backward functions those of ops, calls those of hooks, recomputed ones told apart.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
export OMP_NUM_THREADS=1
. "$ROOT/tests/torch/judge_layers.sh"
models=(Transformer ResNet MLP Recurrent)
names=$(IFS=,; echo "${models[*]}")
run_models '' own "$names" judge.{}.json checkpoint,again.{}.json
run_models +modules,+shapes own "$names" train checkpoint
for model in "${models[@]}"; do
	mv "judge.$model.json" judge.json
	judge_layers "$model" train
done
mv again.Transformer.json judge.json
judge_layers Transformer checkpoint checkpoint
