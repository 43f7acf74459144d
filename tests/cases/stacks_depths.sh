#!/bin/bash
# Every allocation of four threads at once, of a forked child and of a signal handler has the frames that it was made through.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program stack_depths
INTERCEPT_STACKS=native run_traced "$PROGRAMS/stack_depths" || fail "status $?"
"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"
"$REPORT" dump "$OUTPUT" | sed -n 's/.* malloc ptr=[^ ]* size=\(90[0-9][0-9]\) .*stack=\([^ ]*\).*/\1 \2/p' >stacks.txt
# 4 threads, parent and child of 300 each, and the handler
expect_eq "allocations with stack" "$(wc -l <stacks.txt)" 1801
# Innermost the call of malloc(), then one frame for each call of descend() by itself, all of one return address, then another.
wrong=$(awk '$1 > 9001 {
	frames = split($2, frame, ",")
	if (recursion == "")
		recursion = frame[2]
	for (same = 0; same + 2 <= frames && frame[same + 2] == recursion;)
		same++
	if (same != $1 - 9000)
		print
}' stacks.txt)
expect_eq "stacks with other frames" "$wrong" ""
(($(awk '$1 > 9001' stacks.txt | wc -l) > 1000)) || fail "no depths: $(head -3 stacks.txt)"
expect_eq "cut stacks" "$(grep -c '/4' stacks.txt)" 0
