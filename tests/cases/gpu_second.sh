#!/bin/bash
# A user of CUPTI's second form, by which several subscribe, gets what it gets alone, and we what we get alone: whoever comes first, and whichever form we began with.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 200
need_program cuda_second
need_program cuda_second_opened
need_program cuda_profiler
export INTERCEPT_GPU_WAITS=records
need_program cuda_rest
export FAKE_CUDA_COUNTS=$PWD/counts.%p.json FAKE_CUPTI_VERSION=13.3 FAKE_CUDA_DRIVER=13030 LD_LIBRARY_PATH=$BUILD/fake

beside() { # PROGRAM WHAT...: alone and beside us; both say the same
	rm -f ./*.evt* counts.*.json
	"$PROGRAMS/$1" "${@:2}" >bare.out 2>bare.err || fail "$* alone: status $?: $(cat bare.err)"
	rm -f counts.*.json
	run_traced "$PROGRAMS/$1" "${@:2}" >traced.out 2>traced.err || fail "$*: status $?: $(cat traced.err)"
	cmp bare.out traced.out || fail "$*: alone and beside us: $(diff bare.out traced.out)"
}
same() { # our tables are the device's own
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.*.json >compare.out ||
		fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
	expect "$OUTPUT" 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' 'kernels.totals.clamped == 0' \
		'summary.totals.events_lost == 0'
}
calls() { # FUNCTION: how often it was called
	cat counts.*.json | python3 -S -c "import json, sys; print(json.load(sys.stdin)['others'].get('$1', 0))"
}

# ours alone, where nobody else is in sight: as ever
rm -f ./*.evt* counts.*.json
run_traced "$PROGRAMS/cuda_rest" 100 1 10 2>gpu.err || fail "alone: $(cat gpu.err)"
same
expect_eq "alone: the second form" "$(calls cuptiSubscribe_v2)" 0

# in sight; not in sight, so that we change when it comes
for program in cuda_second cuda_second_opened; do
	for version in 13.3 13.5; do
		export FAKE_CUPTI_VERSION=$version
		for what in window again late calls early two; do
			beside "$program" "$what"
			expect_eq "$program $what: what is said" "$(cat traced.err)" ""
			same
			"$REPORT" kernels "$OUTPUT" >table.out 2>&1
			expect_match "$program $what: shared" "$(cat table.out)" 'another profiler used CUPTI at the same time \(cuptiSubscribe_v2\)'
		done
	done
done
# CUPTI has no flush period then: records come all the same
beside cuda_second seconds
expect "$OUTPUT" 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' 'kernels.totals.untold == 0' 'kernels.totals.calls > 20'
(($(calls cuptiActivityFlushAll) >= 3)) || fail "flushed $(calls cuptiActivityFlushAll) times in three seconds"

# it allows nobody beside it: where we came by the first form we go; CUPTI lets nobody be alone once several were allowed
beside cuda_second_opened alone
expect_match "alone: what is said" "$(cat traced.err)" 'another profiler uses CUPTI now \(cuptiSubscribe_v2\)'
rm -f ./*.evt*
run_traced "$PROGRAMS/cuda_second" alone >traced.out 2>traced.err && fail "alone, in sight: CUPTI allows it?"
expect_match "alone, in sight: what is said" "$(cat traced.err)" 'another profiler uses CUPTI now \(cuptiSubscribe_v2\)'

# the second form where another of the first comes: by functions of ours
beside cuda_second first
same

# a profiler of the first form is served by the first, also where CUPTI and the driver have the second
for what in window calls callbacks clock finalize early; do
	beside cuda_profiler "$what"
	same
	expect_eq "$what: the second form" "$(calls cuptiSubscribe_v2)" 0
done

# an older CUPTI or driver: it has all of CUPTI
for how in FAKE_CUPTI_VERSION=13.2 FAKE_CUDA_DRIVER=13020; do
	export "${how?}"
	rm -f ./*.evt* counts.*.json
	"$PROGRAMS/cuda_second" calls >bare.out 2>/dev/null
	bare=$?
	run_traced "$PROGRAMS/cuda_second" calls >traced.out 2>traced.err
	expect_eq "$how: status" $? $bare
	cmp bare.out traced.out || fail "$how: $(diff bare.out traced.out)"
	export FAKE_CUPTI_VERSION=13.3 FAKE_CUDA_DRIVER=13030
done

# what fails for us does not fail for it
for call in cuptiSubscribe_v2:1=999 cuptiActivityRegisterCallbacks_v2:1=999 cuptiGetTimestamp_v2:*=999; do
	"$PROGRAMS/cuda_second" window >bare.out || fail "$call: alone"
	rm -f ./*.evt*
	FAKE_CUDA_FAIL=$call run_traced "$PROGRAMS/cuda_second" window >traced.out 2>traced.err || fail "$call: $(cat traced.err)"
	cmp bare.out traced.out || fail "$call: $(diff bare.out traced.out)"
done
