#!/bin/bash
# INTERCEPT_GPU=sums: kernels and copies by name are the fake device's, every one, without an event each; busy time is that of INTERCEPT_METRICS; what cannot be known is said.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_gpu
export INTERCEPT_GPU_WAITS=records FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_GPU=sums INTERCEPT_METRICS=run.prom
same() {
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.json >compare.out || fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
}

for how in NOTHING=1 FAKE_CUPTI_ORDER=reverse FAKE_CUPTI_ORDER=late; do
	rm -f ./*.evt* counts.json run.prom
	(export "${how?}" && run_traced "$PROGRAMS/cuda_gpu" work 2>err) || fail "$how: status $?"
	expect_eq "$how: what is said" "$(cat err)" ""
	same
	"$REPORT" check "$OUTPUT" >out 2>&1 || fail "$how: check: $(cat out)"
	"$REPORT" dump "$OUTPUT" | grep -cE ' gpu_(kernel|copy|set|node) ' >single
	expect_eq "$how: single events" "$(cat single)" 0
	expect "$OUTPUT" 'kernels.totals.calls == 255' 'kernels.totals.without_call == 0' 'gpu_trace.totals.rows == 0' \
		'summary.totals.events_lost == 0' 'summary.totals.gpu_untold == 0' \
		'kernels("--by", "stream").row(stream=7).calls == 220' 'kernels("--by", "device").row(device=0).calls == 255' \
		'all(row.p50_ns is None and row.min_ns <= row.avg_ns <= row.max_ns for row in kernels.rows)' \
		'utilization.row(device=0).compute_ns <= kernels.totals.total_ns' \
		'utilization.row(device=0).queue_max is None' 'utilization.totals.busy_ns == summary.totals.gpu_busy_ns' \
		'utilization.row(device=0).idle_ns + utilization.row(device=0).busy_ns == utilization.row(device=0).span_ns'
	expect_eq "$how: busy" "$(json utilization "$OUTPUT" 'totals["busy_ns"]')" \
		"$(python3 -S "$ROOT/tests/exposition.py" run.prom 'print(round(value("gpu_busy_seconds_total") * 1e9)) or True')"
	for report in kernels 'kernels --by range' gpu-trace steps summary; do
		# shellcheck disable=SC2086
		"$REPORT" $report "$OUTPUT" >out 2>&1
		grep -q 'INTERCEPT_GPU=sums' out || fail "$report does not say what is missing: $(cat out)"
	done
	expect "$OUTPUT" 'len(kernels("--by", "range").rows) == 0'
done

# a launch is no event of the GPU's family: its number is in the sums, killed or not
rm -f ./*.evt* counts.json
run_traced "$PROGRAMS/cuda_gpu" many 40000 || fail "many: status $?"
same
[[ $("$REPORT" dump "$OUTPUT" | grep -c ' gpu_kernel_sum ') -le 200 ]] || fail "too many sums"

# a kernel that takes much longer than its name's others is a row of its own, and counts once
rm -f ./*.evt* counts.json
FAKE_CUDA_LONG=2000 run_traced "$PROGRAMS/cuda_gpu" many 40000 || fail "unusual: status $?"
same
"$REPORT" check "$OUTPUT" >out 2>&1 || fail "unusual: check: $(cat out)"
expect "$OUTPUT" 'gpu_trace.totals.rows == 20' 'gpu_trace.totals.unusual == 20' 'gpu_trace.totals.unusual_left_out == 0' \
	'max(row.duration_ns for row in gpu_trace.rows) == kernels.rows[0].max_ns' \
	'all(row.duration_ns > 50 * kernels.rows[0].avg_ns for row in gpu_trace.rows)' \
	'all(row.grid is None for row in gpu_trace.rows)'
"$REPORT" kernels "$OUTPUT" | grep -q '20 are in gpu-trace' || fail "kernels does not say what gpu-trace has"
INTERCEPT_GPU=some run_traced "$PROGRAMS/cuda_gpu" work 2>err
expect_match "a wrong value" "$(cat err)" "INTERCEPT_GPU='some' is not allowed; allowed is each or sums"
