#!/bin/bash
# INTERCEPT_SCHEDULE by NVTX ranges, without family torch, and in the workers of a DataLoader.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
need_torch eager
train() { # KIND [NAME=VALUE...]
	local kind=$1
	shift
	rm -f ./*.evt
	run_traced env "$@" "$PYTHON" "$ROOT/tests/programs/steps.py" "$kind" - >out 2>err || {
		! grep -q 'NVTX functions not installed' err || skip "torch without NVTX"
		fail "$kind: $(tail -3 err)"
	}
	expect_silence err "$kind"
}
train nvtx INTERCEPT_TRACE=nvtx,torch INTERCEPT_STEP='iteration*' INTERCEPT_SCHEDULE=wait=4,active=2
expect "$OUTPUT" 'sorted(int(r["step"]) for r in steps.rows) == [4, 5, 10, 11]' \
	'sorted(r["name"] for r in nvtx.rows) == ["iteration 10", "iteration 11", "iteration 4", "iteration 5"]'
# what ended them can be chosen later, too
expect "$OUTPUT" 'len(steps("--step", "iteration *").rows) == 4' \
	'len(steps("--step", "Optimizer.step#SGD.step").rows) == 4' 'not steps("--step", "nosuch").rows' \
	'{r["ended_by"] for r in steps("--step", "iteration 5").rows} == {"iteration 5"}'
# another thread's backward is recorded in these steps, and no other
"$REPORT" dump "$OUTPUT" | grep -c 'torch_begin.*"AddmmBackward0"' >backward
expect_eq "backward functions of two layers in four steps" "$(cat backward)" 8
# what has no gate of its own decides all the same
train nvtx INTERCEPT_TRACE=alloc INTERCEPT_SCHEDULE=skip_first=5,active=1,repeat=1
expect "$OUTPUT" '[int(r["step"]) for r in steps.rows] == [5]' 'alloc.totals.allocations > 0' 'not nvtx.rows'
"$REPORT" "$OUTPUT" | tr '\n' ' ' | grep -Eq ' 1 step took [0-9.]+ [mu]?s\. ' || fail "the summary says nothing of steps"
# nothing that ends a step
train nvtx INTERCEPT_STEP=nosuch INTERCEPT_SCHEDULE=wait=1,active=1
"$REPORT" "$OUTPUT" | tr '\n' ' ' | grep -q '[Rr]ecording was limited to steps wait=1,active=1 by INTERCEPT_SCHEDULE, and no such step came' ||
	fail "why nothing is there is not said: $("$REPORT" "$OUTPUT")"

train nvtx INTERCEPT_STEP=nosuch
for report in steps summary; do
	"$REPORT" $report "$OUTPUT" >text || fail "$report of a name that ended nothing"
	tr '\n' ' ' <text | grep -Eq 'INTERCEPT_STEP=nosuch ended no step; there were: ([^ ]+( [^ ]+)? \([0-9]+\),? ?)+' ||
		fail "$report does not say which ranges there were: $(cat text)"
done
"$REPORT" steps --step nosuch "$OUTPUT" | tr '\n' ' ' | grep -q '; there were: ' || fail "steps --step nosuch names no range"

train workers INTERCEPT_TRACE=torch INTERCEPT_SCHEDULE=skip_first=6,active=2,repeat=1
expect "$OUTPUT" 'sorted(int(r["step"]) for r in steps.rows) == [6, 7]' 'len({r["pid"] for r in steps.rows}) == 1' \
	'len(processes.rows) == 2' 'all(r["dataloader_ns"] > 0 for r in steps.rows)'
main=$(json steps "$OUTPUT" 'rows[0]["pid"]')
"$REPORT" dump "$OUTPUT" | grep -v " [0-9]*:$main " | grep -c 'torch_begin.*"aten::stack"' >stacks
# of two tensors each: the batch of the second step; that of the first may be earlier, and that of the step behind may be later
expect_between "tensors stacked by workers" "$(cat stacks)" 2 6

# processes that train on their own count on their own
train ranks INTERCEPT_TRACE=torch INTERCEPT_SCHEDULE=wait=3,active=2,repeat=1
expect "$OUTPUT" 'len({r["pid"] for r in steps.rows}) == 3' \
	'sorted(int(r["step"]) for r in steps.rows) == [3, 3, 3, 4, 4, 4]'
