#!/bin/bash
# INTERCEPT_STACKS_MIN_TIME: of calls, those have a stack that take at least so long, by the durations that were recorded.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program long_calls
calls() { # THRESHOLD_NS: calls that took less and have a stack, those that took longer and have none, and with a stack
	"$REPORT" dump "$OUTPUT" | grep -E ' io_(read|write) ' | sed -n 's/.* duration=\([0-9]*\)\( stack=\)*.*/\1 \2/p' |
		awk -v least="$1" '$2 && $1 < least * 0.99 { low++ } !$2 && $1 > least * 1.01 { high++ } $2 { all++ } END { print low + 0, high + 0, all + 0 }'
}

export INTERCEPT_STACKS=native INTERCEPT_TRACE=io
INTERCEPT_STACKS_MIN_TIME=20ms run_traced "$PROGRAMS/long_calls" || fail "status $?"
"$REPORT" dump "$OUTPUT" | grep -q ' io_read .* stack=' || fail "no read has a stack: $("$REPORT" dump "$OUTPUT" | grep ' io_read ')"
read -r low high all < <(calls 20000000)
expect_eq "short calls with a stack" "$low" 0
expect_eq "long calls without" "$high" 0
[ "$all" -ge 3 ] || fail "only $all stacks"
expect_eq "reads" "$(json io "$OUTPUT" 'sum(r["calls"] for r in rows if r["function"] == "read")' --by function)" 23

# a table by stack states how many calls have one
stacked=$("$REPORT" dump "$OUTPUT" | grep ' io_' | grep -c 'stack=')
calls=$(json io "$OUTPUT" 'totals["calls"]')
said=$("$REPORT" io --by stack "$OUTPUT" | tr '\n' ' ')
percent=$(python3 -c 'import sys; print("%.1f" % (100 * int(sys.argv[1]) / int(sys.argv[2])))' "$stacked" "$calls")
expect_match "share of calls with a stack" "$said" \
	"stacks: $percent % of $calls calls of input and output have one, none is cut; what has none was recorded without"

# whatever the threshold is, the durations tell
INTERCEPT_STACKS_MIN_TIME=cuda:1s,io:2us run_traced "$PROGRAMS/long_calls" || fail "status $?"
read -r low high all < <(calls 2000)
expect_eq "calls below 2 us with a stack" "$low" 0
expect_eq "calls above it without" "$high" 0
INTERCEPT_STACKS_MIN_TIME=cuda:1s run_traced "$PROGRAMS/long_calls" || fail "status $?"
read -r low high all < <(calls 0)
expect_eq "calls without a stack and without a threshold" "$high" 0
expect_match "all calls have a stack" "$("$REPORT" io --by stack "$OUTPUT")" 'stacks: 100.0 % of [0-9]+ calls of input and output have one, none is cut$'
INTERCEPT_STACKS_DEPTH=1 run_traced "$PROGRAMS/long_calls" || fail "status $?"
expect_match "all stacks are cut" "$("$REPORT" io --by stack "$OUTPUT" | tr '\n' ' ')" 'have one; 100.0 % of these are cut'
INTERCEPT_STACKS_MIN_TIME=1000s run_traced "$PROGRAMS/long_calls" || fail "status $?"
expect_eq "stacks above an hour" "$("$REPORT" dump "$OUTPUT" | grep -c 'stack=')" 0
