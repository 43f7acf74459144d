#!/bin/bash
# torch.compile: regions, compiled graphs and what they call are those of torch.profiler in the same run, and steps have their phases.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
# suite: test-all, compiles with the C++ compiler for half a minute
need_torch
need_tool g++
# What the C++ compiler makes is kept from run to run. What PyTorch makes is not: it compiles each time.
TORCHINDUCTOR_CACHE_DIR=$(fetched inductor)
export TORCHINDUCTOR_CACHE_DIR TORCHINDUCTOR_FX_GRAPH_CACHE=0 TORCHINDUCTOR_AUTOGRAD_CACHE=0
# no pool of compilers, each with a torch of its own; no header compiled beforehand for one file
# nor a compile of PyTorch's headers for each set of instructions, to see whether the compiler knows it
export TORCHINDUCTOR_COMPILE_THREADS=1 TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS=0 TORCHINDUCTOR_VEC_ISA_OK=1
# the compiler's allocations would be five million lines to read
INTERCEPT_TRACE=-alloc run_traced "$PYTHON" "$ROOT/tests/torch/proof.py" proof.json compiled 2>err || {
	"$PYTHON" -c 'import torch._dynamo.eval_frame as e; e.check_if_dynamo_supported()' 2>/dev/null ||
		skip "this torch does not compile with this Python"
	fail "$(tail -5 err)"
}
expect_silence err
python3 -S "$ROOT/tests/torch/compare.py" "$REPORT" "$OUTPUT" proof.json 2>&1 || fail "not what torch.profiler saw"
expect_eq "phases of compiled steps" "$(json steps "$OUTPUT" \
	'[name for name in ("data", "forward", "backward", "optimizer", "communication", "evaluation") if totals[name + "_ns"]]')" '["forward", "backward", "optimizer"]'
