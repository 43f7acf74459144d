#!/bin/bash
# Launches from destructors, signal handlers (in the middle of a CUDA call too), forked children and TLS destructors.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_moments
export FAKE_CUDA_COUNTS=$PWD/counts.%p.json

moment() { # WHAT EXPRESSION...: runs it, compares it with the fake and looks at the reports
	local what=$1
	shift
	rm -f run.evt* counts.*.json
	# shellcheck disable=SC2086 # several words
	run_traced "$PROGRAMS/cuda_moments" $what 2>moment.err || fail "$what: status $?: $(cat moment.err)"
	[[ -s moment.err ]] && fail "$what: $(cat moment.err)"
	same_as_fake "$OUTPUT" counts.*.json
	expect "$OUTPUT" "$@" 'summary.totals.events_lost == 0'
	"$REPORT" check "$OUTPUT" >check.out || fail "$what: check: $(cat check.out)"
}

moment destructor 'launches.row(kernel="kernel_2").calls == 1' 'len(launches.rows) == 1'
moment 'atexit destructor' 'launches.row(kernel="kernel_1").calls == 1' 'launches.row(kernel="kernel_2").calls == 1'
moment tls 'launches.row(kernel="kernel_0").calls == 20' 'launches.row(kernel="kernel_1").calls == 40'
moment handler 'launches.row(kernel="kernel_3").calls == 50' 'launches.totals.calls == 100'
FAKE_CUDA_DELAY=cudaDeviceSynchronize=10000000 moment inside 'launches.row(kernel="kernel_3").calls == 20' \
	'api.row(name="cudaDeviceSynchronize").calls == 20' 'api.row(name="cudaDeviceSynchronize").min_ns >= 10000000' \
	'api.row(name="cudaDeviceSynchronize").max_ns < summary.totals.wall_ns'
moment fork 'len(processes.rows) == 3' 'launches.row(kernel="kernel_0").calls == 2' \
	'launches.row(kernel="kernel_1").calls == 7' 'launches.row(kernel="kernel_3").calls == 1'
moment 'exec' 'launches.row(kernel="kernel_2").calls == 1'
moment errno 'api.row(name="cudaFree").errors == 100' 'launches.totals.calls == 100'
FAKE_CUDA_DEVICES=3 moment devices 'len(device_memory.rows) == 6' 'device_memory.row(device=2, kind="device").frees == 1' \
	'device_memory.row(device=0, kind="device").live_bytes == 1000' 'api.row(name="cudaSetDevice").errors == 1'
FAKE_CUDA_FAIL=cudaMemset:3=700 moment third 'api.row(name="cudaMemset").errors == 1' \
	'memcpy.row(kind="memset").calls == 5' 'memcpy.row(kind="memset").bytes == 8'

# Left by a jump, cudaDeviceSynchronize has not returned: it is not in the file, all later calls are.
rm -f run.evt*
FAKE_CUDA_DELAY=cudaDeviceSynchronize=10000000 run_traced "$PROGRAMS/cuda_moments" jump || fail "jump: status $?"
expect "$OUTPUT" 'launches.row(kernel="kernel_0").calls == 5' 'api.row(name="cudaMemset").calls == 5' \
	'not api.select(name="cudaDeviceSynchronize")' 'summary.totals.events_lost == 0'

# Only what lies between cudaProfilerStart and Stop; without that setting all of it.
moment capture 'launches.totals.calls == 12' 'api.row(name="cudaProfilerStart").calls == 3'
rm -f run.evt*
INTERCEPT_CAPTURE=cuda-profiler-api run_traced "$PROGRAMS/cuda_moments" capture || fail "capture: status $?"
expect "$OUTPUT" 'launches.totals.calls == 3' 'launches.row(kernel="kernel_2").calls == 3' \
	'api.row(name="cudaMemset").calls == 3' 'api.row(name="cudaProfilerStart").calls == 3' \
	'api.row(name="cudaProfilerStop").calls == 3' 'api.totals.calls == 12'

# Without the family nothing is recorded and everything still works.
rm -f run.evt* counts.*.json
INTERCEPT_TRACE=-cuda run_traced "$PROGRAMS/cuda_moments" handler atexit || fail "without cuda: status $?"
"$REPORT" dump "$OUTPUT" | grep ' cuda_' && fail "CUDA was recorded with INTERCEPT_TRACE=-cuda"
python3 -S -c 'import json, sys; assert sum(json.load(open(sys.argv[1]))["launches"].values()) == 101' counts.*.json ||
	fail "calls did not arrive with INTERCEPT_TRACE=-cuda"
