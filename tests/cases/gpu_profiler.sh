#!/bin/bash
# Another user of CUPTI beside us gets what it gets alone, and we what we get alone: kinds, buffers, callbacks, clocks, finalize.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_program cuda_profiler
export INTERCEPT_GPU_WAITS=records FAKE_CUDA_COUNTS=$PWD/counts.%p.json

profiler() { # WHAT...: alone and beside us; both say the same
	rm -f ./*.evt* counts.*.json
	"$PROGRAMS/cuda_profiler" "$@" >bare.out 2>bare.err || fail "$* alone: status $?: $(cat bare.err)"
	rm -f counts.*.json
	run_traced "$PROGRAMS/cuda_profiler" "$@" >traced.out 2>traced.err || fail "$*: status $?: $(cat traced.err)"
	cmp bare.out traced.out || fail "$*: alone and beside us: $(diff bare.out traced.out)"
}
same() { # our tables are the device's own
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.*.json >compare.out ||
		fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
	expect "$OUTPUT" 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' 'kernels.totals.clamped == 0' \
		'summary.totals.events_lost == 0'
}

for what in window "again 100" late calls callbacks goes clock serial finalize early period small refuse threads fork; do
	# shellcheck disable=SC2086 # a number is a word of its own
	profiler $what
	expect_eq "$what: what is said" "$(cat traced.err)" ""
	same
done
# in every layout, and out of buffers of several threads
for how in FAKE_CUPTI_VERSION={11.8,12.1,12.9,13.0} FAKE_CUPTI_ORDER=reverse FAKE_CUPTI_THREADS=1; do
	export "${how?}"
	profiler calls
	same
	unset "${how%%=*}"
done

# who was there is a fact of the recording
profiler window
"$REPORT" kernels "$OUTPUT" >table.out 2>&1
expect_match "shared" "$(cat table.out)" 'another profiler used CUPTI at the same time \(cuptiActivityRegisterCallbacks\)'

# what cannot be shared is left to it, with one line
profiler context
expect_match "left" "$(cat traced.err)" '^intercept: another profiler uses CUPTI now \(cuptiActivityEnableContext\): work of the GPU is not recorded from here on$'
expect "$OUTPUT" 'kernels.totals.calls == 4' 'kernels.totals.lost == 0'

# not asked for, and a program that sleeps until it uses CUDA
INTERCEPT_TRACE=-gpu profiler calls
expect "$OUTPUT" 'kernels.totals.calls == 0' 'launches.totals.calls > 0'
rm -f ./*.evt* counts.*.json
run_traced env "$PROGRAMS/cuda_profiler" early >traced.out 2>traced.err || fail "early, asleep: status $?: $(cat traced.err)"
same

# what fails for us does not fail for it, and its own failures are its own
for call in cuptiSubscribe:1=999 cuptiActivityRegisterCallbacks:1=999 cuptiGetTimestamp:*=999; do
	FAKE_CUDA_FAIL=$call run_traced "$PROGRAMS/cuda_profiler" window >traced.out 2>traced.err || fail "$call: $(cat traced.err)"
	"$PROGRAMS/cuda_profiler" window >bare.out || fail "$call: alone"
	cmp bare.out traced.out || fail "$call: $(diff bare.out traced.out)"
	rm -f ./*.evt*
done
exit 0
