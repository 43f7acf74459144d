#!/bin/bash
# Programs with one planted cause each on a fake GPU that takes its time, run: the cause is among the advice, or that the machine was busy.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_cuda_torch eager
# what depends on the GPU's time, on waits that no load makes shorter, and on what is counted
names=(gpu_pageable_copies gpu_evaluation gpu_late_stream gpu_good_losses_read gpu_tiny_kernels gpu_single_precision)
programs=("${names[@]/#/$ROOT/tests/truth/programs/}")
programs=("${programs[@]/%/.py}")
fake=$BUILD/fake
libraries=$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13
export PYTHONPATH=$ROOT/tests/truth:$PYTHONPATH
INTERCEPT_TRACE=-alloc,-tensors,-imports INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$libraries \
	"$PYTHON" "$ROOT/tests/truth/together.py" "${programs[@]}" >processes 2>err || fail "$(cat err)"
mapfile -t processes <processes
expect_eq "programs that ran" ${#processes[@]} ${#names[@]}
for number in "${!names[@]}"; do
	python3 -S "$ROOT/tests/truth/judge.py" --live --process "${processes[number]}" "$REPORT" "$OUTPUT" "${programs[number]}" || fail "${names[number]}"
done
rm "$OUTPUT"
