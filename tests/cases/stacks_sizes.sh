#!/bin/bash
# INTERCEPT_STACKS_MIN: allocations of at least so many bytes have a stack, the others the caller they have without stacks.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program stack_sizes
events() {
	"$REPORT" dump "$OUTPUT" | grep -E " malloc ptr=[^ ]* size=$1 "
}

run_traced "$PROGRAMS/stack_sizes" || fail "status $?"
for size in 1000 1001000; do
	events "$size" | sed 's/.* caller=//' | sed 's/.*\(...\)$/\1/' | sort | uniq -c >"plain.$size" # the page is another each time
done
INTERCEPT_STACKS=native INTERCEPT_STACKS_MIN=64K run_traced "$PROGRAMS/stack_sizes" || fail "status $?"
for size in 1000 65535; do
	expect_eq "events of $size bytes" "$(events "$size" | wc -l)" 100
	expect_eq "of these, with a stack" "$(events "$size" | grep -c 'stack=')" 0
done
for size in 65536 100000; do
	expect_eq "events of $size bytes with a stack" "$(events "$size" | grep -c 'stack=')" 100
done
expect_eq "callers of malloc(1000)" "$(events 1000 | sed 's/.* caller=//' | sed 's/.*\(...\)$/\1/' | sort | uniq -c)" "$(cat plain.1000)"
# operator new is no caller, with a size below the limit, too
INTERCEPT_STACKS=native INTERCEPT_STACKS_MIN=2M run_traced "$PROGRAMS/stack_sizes" || fail "status $?"
expect_eq "stacks below the limit" "$("$REPORT" dump "$OUTPUT" | grep ' malloc ' | grep -c 'stack=')" 0
expect_eq "callers of operator new(1001000)" "$(events 1001000 | sed 's/.* caller=//' | sed 's/.*\(...\)$/\1/' | sort | uniq -c)" "$(cat plain.1001000)"
expect_eq "allocations" "$(json alloc "$OUTPUT" 'totals["allocations"]')" "$("$REPORT" dump "$OUTPUT" | grep -c -E ' (malloc|calloc|realloc|memalign) ')"
