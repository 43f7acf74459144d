#!/bin/bash
# torch.profiler(CUDA) of the real PyTorch finds beside us what it finds alone, and we what the fake device did: kernels, counts, durations.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
# suite: test-all, trainings beside torch.profiler
need_cuda_torch eager
without_heap
fake=$BUILD/fake
preload="$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13"
export FAKE_CUDA_COUNTS=$PWD/counts.%p.json

profiled() { # PRELOAD WHAT OUT
	LD_PRELOAD=$1 "$PYTHON" "$ROOT/tests/torch/profiled.py" "$2" "$3" >profiled.out 2>profiled.err ||
		fail "$2: status $?: $(tail -n 5 profiled.err)"
}
# in one process what can be: CUDA is there before the profiler, and the other way round
for what in once,again,schedule,threads first fork; do
	rm -f ./*.evt* ./*.json*
	profiled "$preload" "$what" alone.json
	rm -f counts.*.json
	INTERCEPT_OUTPUT=$OUTPUT profiled "$LIB:$preload" "$what" beside.json
	expect_silence profiled.err "$what"
	python3 -S "$ROOT/tests/torch/same_profile.py" alone.json beside.json "$REPORT" "$OUTPUT" >same.out ||
		fail "$what: $(head -c 3000 same.out)"
	[[ $what != fork ]] || python3 -S "$ROOT/tests/torch/same_profile.py" alone.json.child beside.json.child >same.out ||
		fail "the child: $(head -c 3000 same.out)"
	python3 -S "$ROOT/tests/fake/compare_gpu.py" --within 1 "$REPORT" "$OUTPUT" counts.*.json >compare.out ||
		fail "$what: $(cat compare.out)"
	expect "$OUTPUT" 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' 'kernels.totals.clamped <= 1 + kernels.totals.calls // 100' \
		'kernels.totals.calls > 5' 'summary.totals.events_lost == 0'
done
"$REPORT" kernels "$OUTPUT" >table.out 2>&1
expect_match "shared" "$(cat table.out)" 'another profiler used CUPTI at the same time'
exit 0
