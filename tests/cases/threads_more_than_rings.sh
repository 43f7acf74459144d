#!/bin/bash
# Thousands of threads at once lose nothing; where they are more than rings the rest is counted as lost, and what helps is said.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program threads
many=20000
while ! "$PROGRAMS/threads" together $many >/dev/null 2>&1; do # what this machine can hold
	many=$((many / 2))
	((many > 100)) || fail "100 threads cannot be started"
done
run_traced "$PROGRAMS/threads" together $many >out 2>err || fail "status $?: $(cat err)"
expect_eq output "$(cat out)" "$many threads"
! grep INTERCEPT_BUFFER err || fail "rings were short"
expect "$OUTPUT" 'summary.totals.events_lost == 0' "summary.totals.events >= 4 * $many"

INTERCEPT_BUFFER=1M run_traced "$PROGRAMS/threads" together 1500 >out 2>err || fail "status $?: $(cat err)"
expect_eq output "$(cat out)" '1500 threads'
expect_match stderr "$(cat err)" '^intercept: more threads at once than the [0-9]+ rings: .*INTERCEPT_BUFFER'
# 3 allocations and 1 free a thread, and what starting it takes: recorded or known to be lost
expect "$OUTPUT" 'summary.totals.events_lost > 0' \
	'summary.totals.events + summary.totals.events_lost >= 4 * 1500'
for report in summary alloc threads; do
	expect_match "what $report says" "$("$REPORT" $report "$OUTPUT")" 'LOST .* no ring, .*INTERCEPT_BUFFER'
done
