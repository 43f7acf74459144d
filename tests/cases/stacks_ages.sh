#!/bin/bash
# A program whose stacks are more than the collector's table holds loses none: what is no longer used makes room.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program stack_ages
INTERCEPT_STACKS=native INTERCEPT_TRACE=alloc INTERCEPT_SAMPLE=0 INTERCEPT_BUFFER=1M \
	run_traced "$PROGRAMS/stack_ages" "$OUTPUT" || fail "status $?"
"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"
"$REPORT" dump "$OUTPUT" | sed -n '/ size=77 /s/.* malloc ptr=[^ ]* size=77 .*stack=\([^ ]*\).*/\1/p' >stacks.txt
expect_eq "allocations with stack" "$(wc -l <stacks.txt)" 40000
expect_eq "stacks" "$(sort -u stacks.txt | wc -l)" 40000
expect_eq "cut stacks" "$(grep -c '/4' stacks.txt)" 0
# two frames a call, and those between main() and the start of the program
expect_eq "stacks of other depths" "$(awk -F, '{ print NF }' stacks.txt | sort -u | wc -l)" 1
