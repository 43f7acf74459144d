#!/bin/bash
# Training on "cuda" over the fake CUDA: the operators of both threads are torch.profiler's, and those of emit_nvtx().
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
# suite: test-all, a training beside torch.profiler over the fake CUDA
need_cuda_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
export PYTHONPATH=$ROOT/tests/torch/rest${PYTHONPATH:+:$PYTHONPATH} # PyTorch's own end
fake=$BUILD/fake
LIB=$LIB:$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13
run_traced "$PYTHON" "$ROOT/tests/torch/proof.py" proof.json cuda 2>err || fail "$(tail -5 err)"
expect_silence err
python3 -S "$ROOT/tests/torch/compare.py" "$REPORT" "$OUTPUT" proof.json 2>&1 || fail "not what torch.profiler saw"
rm -f ./*.evt
run_traced "$PYTHON" "$ROOT/tests/torch/nvtx.py" 2>err || fail "$(tail -5 err)"
python3 -S "$ROOT/tests/torch/compare_nvtx.py" "$REPORT" "$OUTPUT" 2>&1 || fail "not what emit_nvtx() saw"
