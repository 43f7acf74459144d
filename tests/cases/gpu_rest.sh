#!/bin/bash
# While nothing is captured CUPTI is asked for no work and no calls; ranges have all of theirs, and another user of CUPTI too.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_rest
need_program cuda_profiler
export INTERCEPT_GPU_WAITS=records FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_CAPTURE=cuda-profiler-api

rest() { # OUTSIDE RANGES INSIDE [THREADS [SECONDS]]
	rm -f ./*.evt* counts.json
	run_traced "$PROGRAMS/cuda_rest" "$@" 2>gpu.err || fail "$*: status $?: $(cat gpu.err)"
	expect_eq "$*: what is said" "$(cat gpu.err)" ""
	"$REPORT" dump --wait 60 "$OUTPUT" >dump.out || fail "$*: dump: status $?"
	expect "$OUTPUT" "sum(row.calls for row in kernels().rows if 'inside' in row.name) == $(($2 * $3))" \
		"all(row.gpu_ns > 0 for row in launches().rows if 'inside' in row.kernel)" \
		"sum(row.calls for row in launches().rows if 'inside' in row.kernel) == $(($2 * $3))" \
		'kernels.totals.clamped == 0' 'summary.totals.events_lost == 0'
	# what other threads launch at the moment when a range opens may have its call and not its kernel, which is counted
	((${4:-0})) || expect "$OUTPUT" 'kernels.totals.lost == 0'
}
calls() { # FUNCTION: how often it was called
	python3 -S -c "import json; print(json.load(open('counts.json'))['others'].get('$1', 0))"
}

# six kinds of work go on for each range, and off again in each stretch after it; what is launched in between is not told
rest 5000 3 50
expect_eq "kinds off" "$(calls cuptiActivityDisable)" $((3 * 6))
expect_eq "kinds on" "$(calls cuptiActivityEnable)" $((3 + 3 * 6))
told=$(grep -c ' gpu_kernel ' dump.out)
((told < 150 + 3 * 1400)) || fail "$told kernels told of 20150"
expect_eq "numbers outside" "$(grep -c ' gpu_call ' dump.out)" 0
# memory is told all the time
expect_eq "memory" "$(grep -c ' gpu_memory ' dump.out)" 8

# nothing is asked for before the first range
rest 5000 0 0
expect_eq "kinds on" "$(calls cuptiActivityEnable)" 3
expect_eq "kernels told" "$(grep -c ' gpu_kernel ' dump.out)" 0

# ranges that follow each other sooner switch nothing
rest 1000 20 50
expect_eq "kinds off" "$(calls cuptiActivityDisable)" 0

# a range that has no kernels to be told of: said, and the program goes on
FAKE_CUDA_FAIL=cuptiActivityEnable:4=999 run_traced "$PROGRAMS/cuda_rest" 10 1 10 2>gpu.err || fail "no kernels: $(cat gpu.err)"
expect_match "no kernels" "$("$REPORT" dump --wait 60 "$OUTPUT")" 'gpu_cupti .*state=3 .*cuptiActivityEnable'

# with others at it all the time
rest 4000 5 50 3

# two seconds after a range CUPTI is detached; the next range attaches it, and has all of its work
rest 5000 3 50 0 3
expect_eq "detached" "$(calls cuptiFinalize)" 3
expect_eq "subscribed" "$(calls cuptiSubscribe)" 3
expect_eq "states" "$(grep -o 'gpu_cupti state=[0-9]*' dump.out | tr -dc '0-9\n' | tr '\n' ' ')" "1 11 12 11 12 11 "
expect_match "kernels: detached" "$("$REPORT" kernels "$OUTPUT")" 'CUPTI was detached 3 times'

# not where it is to stay, nor an older CUPTI; and with threads that launch all the time
INTERCEPT_GPU_REST=attached rest 5000 1 50 0 3
expect_eq "to stay" "$(calls cuptiFinalize)" 0
FAKE_CUPTI_VERSION=12.1 rest 5000 1 50 0 3
expect_eq "older" "$(calls cuptiFinalize)" 0
FAKE_CUDA_FAIL=cuptiFinalize:1=999 rest 5000 2 50 0 3
expect_eq "does not leave" "$(calls cuptiFinalize)" 1
rest 4000 2 50 3 3
expect_eq "threads" "$(calls cuptiFinalize)" 2

# threads that call CUDA first, while one of them starts the recording: CUPTI starts with one of the next calls
for _ in 1 2 3; do
	rm -f ./*.evt*
	run_traced timeout 60 "$PROGRAMS/cuda_rest" 3000 1 50 3 1 || fail "three at once: status $?"
	expect "$OUTPUT" "sum(row.calls for row in kernels().rows if 'inside' in row.name) == 50"
done

# it does not come back: said, and the program goes on
FAKE_CUDA_FAIL=cuptiSubscribe:2=39 run_traced "$PROGRAMS/cuda_rest" 4000 2 10 0 3 2>gpu.err || fail "gone: $(cat gpu.err)"
expect_match "gone" "$("$REPORT" dump --wait 60 "$OUTPUT")" 'gpu_cupti .*state=3 .*cuptiSubscribe'

# a user of CUPTI that comes while it rests or is detached, and what it does then
for what in window rested detached; do
	"$PROGRAMS/cuda_profiler" "$what" >bare.out || fail "$what alone"
	rm -f ./*.evt*
	capture=nvtx:never
	[[ $what == detached ]] && capture=cuda-profiler-api
	INTERCEPT_CAPTURE=$capture run_traced "$PROGRAMS/cuda_profiler" "$what" >traced.out 2>traced.err || fail "$what: $(cat traced.err)"
	cmp bare.out traced.out || fail "$what: $(diff bare.out traced.out)"
done
