#!/bin/bash
# Real recordings of a GPU: the advice that comes first is the right one, and no thread that waits for autograd's is blamed.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

recordings=$ROOT/tests/gpu/recordings
for name in launches empty_cache compiled; do
	"$REPORT" check "$recordings/$name.evt" >check.out || fail "check $name: $(cat check.out)"
done
advice() { # NAME: ids in order, without notes
	json bottleneck "$recordings/$1.evt" '[row["id"] for row in rows if row["severity"] != "note"]'
}
expect_eq "advice on launches" "$(advice launches)" '["launch_bound", "between_operators"]'
expect_eq "advice on empty_cache()" "$(advice empty_cache)" '["device_allocations"]'
expect_eq "advice on torch.compile" "$(advice compiled)" '["first_step", "launch_bound"]'
says() { # NAME EXPRESSION over `of`, the advice by its id
	expect_eq "$1: $2" "$(json bottleneck "$recordings/$1.evt" "(lambda of: $2)({row['id']: row for row in rows})")" true
}
says launches 'of["launch_bound"]["value"] > 70 and of["launch_bound"]["gain_ns"] == of["launch_bound"]["stake_ns"]'
says launches '"operators and 86 launches a step" in of["launch_bound"]["text"]'
says launches '"after torch::autograd::AccumulateGrad" in of["between_operators"]["text"]'
says compiled '"363 launches a step" in of["launch_bound"]["text"]'
# sums of the GPU's work (INTERCEPT_PRESET=light): each step has its own, and launches are the cause
expect_eq "advice on light" "$(advice light)" '["launch_bound"]'
expect "$recordings/light.evt" 'all(230e3 < row.gpu_ns < 260e3 for row in steps.rows if row.step)' 'steps.totals.gpu_late == 0'
# a GPU that is the limit: the host waits for it in the optimizer, and the GPU works for backward
expect_eq "advice on a busy GPU" "$(advice gpu_bound)" '["throttled"]'
says gpu_bound '"54.1 % of its work is asked for in phase backward" in of["gpu_bound"]["text"]'
expect "$recordings/gpu_bound.evt" 'steps.totals.optimizer_ns > steps.totals.total_ns * 0.45' \
	'1.7 < steps.totals.gpu_asked_backward_ns / steps.totals.gpu_asked_forward_ns < 1.9' \
	'0.9 < sum(getattr(steps.totals, "gpu_asked_%s_ns" % phase) for phase in ("forward", "backward", "optimizer")) / steps.totals.gpu_ns < 1.03'
# a second for which nothing ran on the GPU is said once, and no place in which the thread waits for autograd's is one of its own
for name in launches empty_cache compiled; do
	says $name 'not of.keys() & {"gpu_idle", "small_kernels", "small_operators", "gpu_gaps"}'
	says $name 'not [row for row in of.values() if "_engine_run_backward" in row["text"] or "after aten::ones_like" in row["text"]]'
done
# a step belongs to all threads that work for it, whoever takes its time apart: phases and waiting add up
for name in launches empty_cache compiled; do
	expect "$recordings/$name.evt" \
		'all(row.data_ns + row.forward_ns + row.backward_ns + row.optimizer_ns + row.communication_ns + row.evaluation_ns + row.other_phase_ns == row.total_ns for row in steps.rows)' \
		'all(row.gpu_data_ns + row.gpu_forward_ns + row.gpu_backward_ns + row.gpu_optimizer_ns + row.gpu_communication_ns + row.gpu_evaluation_ns + row.gpu_other_phase_ns == row.gpu_ns for row in steps.rows)' \
		'steps.sum("backward_ns") == steps.totals.backward_ns' 'steps.totals.helped_ns <= steps.totals.backward_ns' \
		'all((row.waiting_ns or 0) + (row.running_ns or 0) + (row.helped_ns or 0) <= row.total_ns * 1.001 for row in steps.rows)'
done
expect "$recordings/launches.evt" 'steps.totals.backward_ns > steps.totals.forward_ns > 0' 'steps.totals.backward_ns > steps.totals.optimizer_ns > 0' 'steps.totals.evaluation_ns == 0' \
	'steps.totals.waiting_ns < steps.totals.total_ns / 10' 'not [row for row in api.rows if row.name == "__cudaLaunchKernel"]' \
	'gpu_idle("--by", "line").rows[0].function != "(no Python function)"' \
	'lines("--frames", "all").row(function="_engine_run_backward").native_ns > 130e6' # what autograd's thread does for it is there
expect "$recordings/compiled.evt" 'all(row.data_ns > 0 and row.forward_ns > 0 and row.backward_ns > 0 for row in steps.rows if row.step)' \
	'kernels.totals.without_call <= 1' # its call is before the cut
"$REPORT" summary "$recordings/launches.evt" >summary.out
expect_match "the GPU in the summary" "$(tr '\n' ' ' <summary.out)" "The GPU was busy for [0-9.]* % of the steps' time"
# what all steps say adds up to the total, to the nanosecond
for name in launches empty_cache compiled; do
	for time in running_ns waiting_ns operators_running_ns operators_waiting_ns other_running_ns other_waiting_ns; do
		expect "$recordings/$name.evt" "any(row.$time is None for row in steps.rows) or steps.sum('$time') == steps.totals.$time"
	done
done
# samples of a thread that waits for autograd's are none of the time outside of operators: 68 % with them
expect_match "the line outside of operators" "$(json bottleneck "$ROOT/tests/truth/recordings/gpu_sleep.evt" '[row["text"] for row in rows if row["id"] == "between_operators"][0]')" \
	'By samples, 80 % of the time outside of operators was in gpu_sleep.py:14'
# memory by what it is for: parameters have gradients and Adam's state of their size; cuBLAS has 32 MiB for each of two threads, cublasLt 1 MiB
category() { # NAME CATEGORY: blocks and bytes that were allocated
	json tensors "$recordings/$1.evt" "[[row['allocations'], row['bytes_allocated']] for row in rows if (row['device'], row['category']) == ('cuda:0', '$2')]" --by category
}
for name in launches empty_cache gpu_bound; do
	expect_eq "workspaces of $name" "$(category $name workspaces)" '[[3, 68157440]]'
done
expect_eq "parameters of gpu_bound" "$(category gpu_bound parameters)" '[[8, 536936448]]'
expect_eq "parameters of launches" "$(category launches parameters)" "$(category launches 'optimizer state')"
expect_eq "parameters of compiled" "$(category compiled parameters)" '[[76, 94535680]]'
