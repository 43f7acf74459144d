#!/bin/bash
# What the GPU did is what the fake device did: kernels, copies, memsets, waits, their times to the nanosecond, joined with their calls.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_program cuda_gpu
export FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_GPU_WAITS=records

gpu() { # WHAT...: a new recording
	rm -f ./*.evt* counts.json gpu.err
	run_traced "$PROGRAMS/cuda_gpu" "$@" 2>gpu.err
	local status=$?
	[[ $status != 137 ]] || written "$OUTPUT" # killed, it may go before its collector has made the file
	return $status
}
same() { # the tables are the fake's own; FILE
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$1" counts.json >compare.out || fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
}

# every layout, order and number of buffers
for how in FAKE_CUPTI_VERSION={11.8,12.1,12.9,13.0,13.2} FAKE_CUPTI_ORDER={reverse,late} FAKE_CUPTI_THREADS=1 FAKE_CUPTI_CLOCK=86400000000000; do
	export "${how?}"
	gpu work || fail "$how: status $?"
	expect_eq "$how: what is said" "$(cat gpu.err)" ""
	same "$OUTPUT"
	expect "$OUTPUT" 'kernels.totals.calls == 255' 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' \
		'kernels.totals.clamped == 0' 'gpu_trace.totals.rows == 296' 'sync.totals.calls == 2' \
		'kernels("--by", "thread").sum("calls") == 255' 'len(kernels("--by", "thread").rows) == 5' \
		'kernels("--by", "stream").row(stream=7).calls == 220' 'kernels("--by", "device").row(device=0).calls == 255' \
		'kernels("--by", "grid").row(grid="1000x1x1").calls == 20' 'summary.totals.events_lost == 0'
	# told after its kernels, a device says nothing of them: that is counted
	[[ $how == *ORDER* ]] || expect "$OUTPUT" 'all(abs(row.sm_blocks - 1000 / 132) < 1e-4 and abs(row.occupancy_percent - 100 * 1000 / 132 * 128 / 2048) < 1e-4 for row in kernels("--by", "grid").rows if row.grid == "1000x1x1")' \
		'all(row.occupancy_percent > 0 and row.tc_percent == 0 for row in kernels.rows)' \
		'kernels.totals.occupancy_unknown == 0'
	unset "${how%%=*}"
	expect "$OUTPUT" 'threads.sum("gpu_ns") == kernels.totals.total_ns + gpu_copies.totals.total_ns' \
		'utilization.totals.late == 0' 'utilization.row(device=0).compute_ns <= kernels.totals.total_ns' \
		'utilization.row(device=0).idle_ns + utilization.row(device=0).busy_ns == utilization.row(device=0).span_ns' \
		'utilization.totals.busy_ns == summary.totals.gpu_busy_ns' 'len({row.stream for row in gpu_idle.rows}) == 3' \
		'threads.sum("gpu_ops") == 296' 'processes.sum("gpu_ns") == threads.sum("gpu_ns")' \
		'launches.sum("gpu_ns") + 15 * 1020 == kernels.totals.total_ns' 'memcpy.sum("gpu_ns") == gpu_copies.totals.total_ns' \
		'memcpy.row(kind="HtoD").gpu_rate == gpu_copies.row(kind="HtoD").rate'
done

"$REPORT" summary "$OUTPUT" >summary.out
expect_match "the summary" "$(tr '\n' ' ' <summary.out)" "The GPU was busy for .*; the kernel small took"

# a kernel belongs to the time in which it was asked for, however late CUPTI tells of it
half=$(json launches "$OUTPUT" 'totals["calls"]')
end=$(json gpu-trace "$OUTPUT" 'rows[100]["start_ns"]')
early=$(json launches "$OUTPUT" 'totals["calls"]' --time "..$end")
((early > 0 && early < half)) || fail "--time: $early of $half launches"
expect "$OUTPUT" "kernels('--time', '..$end').totals.calls >= $early" "kernels('--time', '..$end').totals.calls + kernels('--time', '$end..').totals.calls == 255"
same_as_fake "$OUTPUT" counts.json
# without records of waits there are the calls that wait, and CUPTI's own time is not recorded
INTERCEPT_GPU_WAITS=calls gpu work || fail "INTERCEPT_GPU_WAITS=calls: status $?"
expect_eq "records of waits" "$("$REPORT" dump "$OUTPUT" | grep -Ec ' gpu_(wait|overhead) ')" 0
hidden=$("$REPORT" dump "$OUTPUT" | grep ' gpu_call ' | grep -c Synchronize) # not interposed, so not among the calls of api
expect "$OUTPUT" "sync.totals.calls == $hidden + sum(row.calls for row in api.rows if 'Synchronize' in row.name) > $hidden" \
	'sync.totals.total_ns >= sum(row.total_ns for row in api.rows if "Synchronize" in row.name)' 'sync.totals.without_call == 0' \
	'{row.kind for row in sync.rows} == {"device", "stream"}' 'sync("--by", "thread").sum("calls") == sync.totals.calls' 'sync("--by", "op").sum("total_ns") == sync.totals.total_ns' 'kernels.totals.calls == 255' 'kernels.totals.lost == 0'
expect_match "what they are" "$("$REPORT" sync "$OUTPUT" | tr '\n' ' ')" 'These are the calls that wait.*INTERCEPT_GPU_WAITS=records'
gpu work || fail "status $?"
# CUPTI's own time is recorded, too
overheads=$("$REPORT" dump "$OUTPUT" | awk '/ gpu_overhead / { for (i = 1; i <= NF; i++) if (sub("duration_ns=", "", $i)) ns += $i; calls++ } END { print calls + 0, ns + 0 }')
expect_eq "overheads" "$overheads" "$(python3 -S -c 'import json; device = json.load(open("counts.json"))["device"]; print(*device["overheads"].values())')"
expect_match "overheads" "$overheads" '^[4-9] '

# what CUPTI drops is counted, what is there is right
FAKE_CUPTI_DROP=10 gpu work || fail "drop: status $?"
same "$OUTPUT"
expect "$OUTPUT" 'kernels.totals.lost == 30'

# a call that fails: no GPU, the same program, said by the report
for call in cuptiGetVersion cuptiSubscribe cuptiActivityRegisterCallbacks cuptiActivityEnable; do
	FAKE_CUDA_FAIL="$call:*=999" gpu work || fail "$call: status $?"
	expect_eq "$call: what is said" "$(cat gpu.err)" ""
	expect "$OUTPUT" 'kernels.totals.calls == 0' 'launches.totals.calls == 243'
	"$REPORT" kernels "$OUTPUT" >table.out 2>&1
	expect_match "$call" "$(cat table.out)" "$call failed with 999"
done
for call in cuptiEnableCallback cuptiActivityFlushPeriod cuptiActivityGetNumDroppedRecords cuptiActivityFlushAll; do
	FAKE_CUDA_FAIL="$call:*=999" gpu work || fail "$call: status $?"
	expect "$OUTPUT" 'launches.totals.calls == 243' 'summary.totals.events_lost == 0'
done
# kinds beside kernels, and nodes of graphs: without them all else is there
for call in cuptiActivityEnable:{5,8}=999 cuptiGetGraphNodeId:*=999 cuptiGetGraphId:*=999; do
	FAKE_CUDA_FAIL=$call gpu work || fail "$call: status $?"
	expect_eq "$call: what is said" "$(cat gpu.err)" ""
	same "$OUTPUT"
done
FAKE_CUDA_FAIL=cuptiSubscribe:1=39 gpu work || fail "in use: status $?"
"$REPORT" kernels "$OUTPUT" >table.out 2>&1
expect_match "in use" "$(cat table.out)" "another profiler had CUPTI"

# CUPTI that hangs at the end does not hold the program up
FAKE_CUPTI_HANG=1 gpu work || fail "hang: status $?"
expect_match "hang" "$(cat gpu.err)" "did not hand out its last records in time"

# the parent's CUPTI is not the child's
gpu fork || fail "fork: status $?"
same "$OUTPUT"

# ended at once by _exit(): CUPTI is asked for nothing, since a signal handler may be what ends the program; what is missing is counted.
# Of 243 launches 3 are captured; graphs of which nothing is known count not. CUPTI hands out nothing by itself.
export FAKE_CUDA_FAIL='cuptiActivityFlushPeriod:*=999'
gpu abrupt || fail "abrupt: status $?"
expect_eq "abrupt: what is said" "$(cat gpu.err)" ""
expect "$OUTPUT" 'launches.totals.calls == 243' 'kernels.totals.calls == 0' 'kernels.totals.untold == 281'
gpu handler
expect_eq "in a signal handler" $? 3
expect "$OUTPUT" 'launches.totals.calls == 243' 'kernels.totals.calls == 0' 'kernels.totals.untold == 281'
# the same of what CUPTI holds when the program becomes another, which uses CUDA or not
gpu exec "$PROGRAMS/cuda_gpu" threads >/dev/null || fail "exec: status $?"
# nobody waits for the collector of a program that has become another one
# shellcheck disable=SC2317 # eventually calls it
two_files() {
	local files=(./*.evt)
	((${#files[@]} == 2))
}
eventually "the recordings of both programs" two_files
written
expect "$OUTPUT" 'launches.totals.calls == 486' 'kernels.totals.calls == 255' 'kernels.totals.untold == 281' 'kernels.totals.lost == 281'
gpu exec true || fail "exec true: status $?"
written "$OUTPUT"
expect "$OUTPUT" 'launches.totals.calls == 243' 'kernels.totals.calls == 0' 'kernels.totals.untold == 281'
# the program has no thread of ours; CUPTI's is its own
INTERCEPT_TRACE=-gpu gpu threads >none.out || fail "threads: status $?"
expect_eq "threads" "$("$PROGRAMS/cuda_gpu" threads) $(gpu threads) $(cat none.out)" "1 1 1"
unset FAKE_CUDA_FAIL
expect_eq "threads, CUPTI's among them" "$(gpu threads)" 2
# killed at once: what was not handed out is counted; a child of vfork() asks for nothing of its parent's
for how in killed vfork; do
	gpu $how
	expect_eq "$how" $? 137
	expect "$OUTPUT" 'kernels.totals.calls > 0 or kernels.totals.untold == 281' 'kernels.totals.lost == kernels.totals.untold' \
		'utilization.totals.untold == kernels.totals.untold' 'gpu_copies.totals.untold == kernels.totals.untold' \
		'summary.totals.gpu_untold == kernels.totals.untold'
	INTERCEPT_GRAPHS=whole gpu $how
	expect "$OUTPUT" 'kernels.totals.calls > 0 or kernels.totals.untold == 281'
done
# CUPTI hands out nothing by itself, however long the program takes
FAKE_CUDA_FAIL='cuptiActivityFlushPeriod:*=999' INTERCEPT_GRAPHS=whole gpu killed
expect_eq "killed, all of it with CUPTI" $? 137
for report in kernels gpu-idle summary; do
	expect_match "$report" "$("$REPORT" "$report" "$OUTPUT" | tr -s '\n ' ' ')" "LOST: the work of [0-9]+ launches, copies or memsets in process [0-9]+: CUPTI had not handed it out when the program ended"
done
# killed after a pause: all but what is in a buffer that is not full, which is counted
gpu pause 20000
expect_eq "killed" $? 137
expect "$OUTPUT" 'kernels.totals.calls + kernels.totals.untold == 20000' 'kernels.totals.without_call == 0' 'kernels.totals.untold < 1000'

# from several threads at once
gpu many 200000 || fail "many: status $?"
same "$OUTPUT"
expect "$OUTPUT" 'kernels.totals.calls == 200000' 'kernels.totals.without_call == 0'

# not asked for: CUPTI is not loaded
INTERCEPT_TRACE=-gpu gpu work || fail "off: status $?"
expect "$OUTPUT" 'kernels.totals.calls == 0' 'launches.totals.calls == 243'
grep -q '"libcupti' counts.json && fail "libcupti was loaded without being wanted"
exit 0
