#!/bin/bash
# Convolutions, attention, LSTM, checkpointing, TorchScript: operators and their tree are torch.profiler's of the same run.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 180
need_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
run_traced "$PYTHON" "$ROOT/tests/torch/proof.py" proof.json \
	cnn transformer lstm checkpoint double_backward scripted 2>err || fail "$(tail -5 err)"
expect_silence err
python3 -S "$ROOT/tests/torch/compare.py" "$REPORT" "$OUTPUT" proof.json 2>&1 || fail "not what torch.profiler saw"
