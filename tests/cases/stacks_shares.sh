#!/bin/bash
# Tables by stack state how many of the CUDA calls and of the tensors' allocations have a stack; each is counted once.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program cuda_threads
need_program tensors
share() { # REPORT: the sentence below it
	"$REPORT" "$1" --by stack --limit 1 "$OUTPUT" | tr '\n' ' ' | grep -o 'stacks: .*'
}

totals() { # REPORT: the same as totals of JSON
	json "$1" "$OUTPUT" '[totals[k] for k in ("stack_events", "stacked_events", "cut_stacks")]' --by stack
}

INTERCEPT_STACKS=native run_traced "$PROGRAMS/cuda_threads" 2 5 >/dev/null || fail "status $?"
calls=$(json api "$OUTPUT" 'totals["calls"]' | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta')
# a launch is asked about twice, as a call and for its work on the GPU
for report in api launches memcpy; do
	expect_match "$report" "$(share $report)" "^stacks: 100.0 % of $calls CUDA calls have one, none is cut"
	expect_eq "$report, totals" "$(totals $report)" "[${calls//,/}, ${calls//,/}, 0]"
done

mkdir one
cp "$PROGRAMS/libfake_c10.so" one/libc10.so
rm -f "$OUTPUT"
INTERCEPT_STACKS=native run_traced "$PROGRAMS/tensors" "$PWD/one/libc10.so" >/dev/null || fail "tensors: status $?"
allocations=$("$REPORT" dump "$OUTPUT" | grep -c ' tensor_alloc ')
# frees have no stack, and are not asked for one
expect_match "tensors" "$(share tensors)" "^stacks: 100.0 % of $allocations allocations of tensors have one, none is cut"

expect_eq "tensors, totals" "$(totals tensors)" "[$allocations, $allocations, 0]"
heap=$(json alloc "$OUTPUT" 'totals["allocations"]')
for report in "alloc --by stack" leaks peak summary; do
	# shellcheck disable=SC2086 # a report and its options
	set -- $report
	expect_eq "$report, totals" "$(json "$1" "$OUTPUT" \
		'[totals[k] for k in ("stacked_allocations", "cut_stacks")]' "${@:2}")" "[$heap, 0]"
done

# a limit of frames cuts: the totals say so
rm -f "$OUTPUT"
INTERCEPT_STACKS=native INTERCEPT_STACKS_DEPTH=2 run_traced "$PROGRAMS/cuda_threads" 2 5 >/dev/null || fail "status $?"
expect_eq "cut, totals" "$(totals api)" "[${calls//,/}, ${calls//,/}, ${calls//,/}]"

# without stacks nothing is a share of them
rm -f "$OUTPUT"
INTERCEPT_STACKS=caller run_traced "$PROGRAMS/cuda_threads" 2 5 >/dev/null || fail "status $?"
expect_eq "share where there are none" "$(share api)" ""
expect_eq "totals where there are none" "$(totals api)" "[${calls//,/}, 0, 0]"
expect_match "how to have them" "$("$REPORT" api --by stack "$OUTPUT" | tr '\n' ' ')" 'INTERCEPT_STACKS=native'
