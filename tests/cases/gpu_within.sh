#!/bin/bash
# CUDA from operator new and malloc, on threads while the process forks, resets its device, destroys contexts or ends: nobody hangs, nothing is lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_program cuda_within
need_program libcuda_malloc.so
export INTERCEPT_GPU_WAITS=records FAKE_CUDA_COUNTS=$PWD/counts.%p.json

within() { # STATUS WHAT: a new recording
	local status
	rm -f ./*.evt* counts.*.json
	run_traced timeout 600 "$PROGRAMS/cuda_within" "$2" 2>gpu.err
	status=$?
	((status == $1)) || fail "$2: status $status, wanted $1: $(cat gpu.err)"
	expect_eq "$2: what is said" "$(cat gpu.err)" ""
	expect "$OUTPUT" 'summary.totals.events_lost == 0' 'kernels.totals.lost == 0'
	"$REPORT" check "$OUTPUT" >check.out || fail "$2: check: $(cat check.out)"
}
same() {
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.*.json >compare.out ||
		fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
}

within 0 new
same
expect "$OUTPUT" 'kernels.totals.calls == 1001' 'launches.totals.calls == 1001' 'kernels.totals.without_call == 0' \
	'device_memory.row(kind="managed").allocations == 1000' 'device_memory.row(kind="managed").cupti_allocations == 1000' \
	'device_memory.totals.live_bytes == 0' 'device_memory.totals.cupti_live_bytes == 0'
malloc=$PROGRAMS/libcuda_malloc.so
rm -f ./*.evt* counts.*.json
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD="$LIB $malloc" timeout 600 "$PROGRAMS/cuda_within" malloc 2>gpu.err || fail "malloc: status $?: $(cat gpu.err)"
expect_eq "malloc: what is said" "$(cat gpu.err)" ""
same
# the heap's events are there, too, with the launches inside of them
expect "$OUTPUT" 'kernels.row(name="in_malloc()").calls == 2000' 'launches.row(kernel="in_malloc()").calls == 2000' 'sized(100) >= 1000' \
	'kernels.totals.without_call == 0' 'kernels.totals.lost == 0' 'summary.totals.events_lost == 0'
within 0 fork
same
expect "$OUTPUT" 'kernels.totals.calls == launches.totals.calls' 'kernels.totals.calls >= 41' 'len(processes.rows) == 21'
within 0 reset
expect "$OUTPUT" 'api.row(name="cudaDeviceReset").calls == 50' 'kernels.totals.calls > 0' 'kernels.totals.calls <= launches.totals.calls'
within 0 context
same
expect "$OUTPUT" 'kernels.totals.calls == 81' 'launches.totals.calls == 81' 'kernels.totals.without_call == 0'
# what is launched after CUPTI was emptied is not told: counted, not hidden
rm -f ./*.evt* counts.*.json
run_traced timeout 600 "$PROGRAMS/cuda_within" exit 2>gpu.err
expect_eq "exit" $? 9
expect_eq "exit: what is said" "$(cat gpu.err)" ""
expect "$OUTPUT" 'launches.totals.calls >= 102' 'kernels.totals.calls >= 101' 'kernels.totals.calls + kernels.totals.untold >= launches.totals.calls'
exit 0
