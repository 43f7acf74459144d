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
# a second for which nothing ran on the GPU is said once, and no place in which the thread waits for autograd's is one of its own
for name in launches empty_cache compiled; do
	says $name 'not of.keys() & {"gpu_idle", "small_kernels", "small_operators", "gpu_gaps"}'
	says $name 'not [row for row in of.values() if "_engine_run_backward" in row["text"] or "after aten::ones_like" in row["text"]]'
done
