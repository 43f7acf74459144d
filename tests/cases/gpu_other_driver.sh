#!/bin/bash
# Over a libcuda that is not NVIDIA's, and refuses what libcupti asks it for, CUPTI is not called: the program runs as without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_life
need_program libasking_cupti.so
asking=$PROGRAMS/libasking_cupti.so
FAKE_CUDA_COUNTS=$PWD/counts.json LD_PRELOAD=$asking "$PROGRAMS/cuda_life" devices 1 >bare.out 2>bare.err || fail "bare: status $?"
FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$asking "$PROGRAMS/cuda_life" devices 1 >out 2>err ||
	fail "status $?: $(cat err)"
expect_eq "output" "$(cat out)" "$(cat bare.out)"
expect_match "the file" "$("$REPORT" dump --wait 60 "$OUTPUT")" 'gpu_cupti .*state=3 .*cuGetExportTable'
expect_match "what kernels says" "$("$REPORT" kernels "$OUTPUT" | tr -s '\n ' ' ')" 'cuGetExportTable'
