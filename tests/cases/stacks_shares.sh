#!/bin/bash
# Tables by stack state how many of the CUDA calls and of the tensors' allocations have a stack; each is counted once.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program cuda_threads
need_program tensors
share() { # REPORT: the sentence below it
	"$REPORT" "$1" --by stack --limit 1 "$OUTPUT" | tr '\n' ' ' | grep -o 'stacks: .*'
}

INTERCEPT_STACKS=native run_traced "$PROGRAMS/cuda_threads" 2 5 >/dev/null || fail "status $?"
calls=$(json api "$OUTPUT" 'totals["calls"]' | sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta')
# a launch is asked about twice, as a call and for its work on the GPU
for report in api launches memcpy; do
	expect_match "$report" "$(share $report)" "^stacks: 100.0 % of $calls CUDA calls have one, none is cut"
done

mkdir one
cp "$PROGRAMS/libfake_c10.so" one/libc10.so
rm -f "$OUTPUT"
INTERCEPT_STACKS=native run_traced "$PROGRAMS/tensors" "$PWD/one/libc10.so" >/dev/null || fail "tensors: status $?"
allocations=$("$REPORT" dump "$OUTPUT" | grep -c ' tensor_alloc ')
# frees have no stack, and are not asked for one
expect_match "tensors" "$(share tensors)" "^stacks: 100.0 % of $allocations allocations of tensors have one, none is cut"

# without stacks nothing is a share of them
rm -f "$OUTPUT"
INTERCEPT_STACKS=caller run_traced "$PROGRAMS/cuda_threads" 2 5 >/dev/null || fail "status $?"
expect_eq "share where there are none" "$(share api)" ""
expect_match "how to have them" "$("$REPORT" api --by stack "$OUTPUT" | tr '\n' ' ')" 'INTERCEPT_STACKS=native'
