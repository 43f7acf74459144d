#!/bin/bash
# More threads at once than there are rings: the rest is counted as lost, nothing fails.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program threads
INTERCEPT_BUFFER=1M run_traced "$PROGRAMS/threads" together 1500 >out 2>err || fail "status $?: $(cat err)"
expect_eq output "$(cat out)" '1500 threads'
# 3 allocations and 1 free a thread, and what starting it takes: recorded or known to be lost
expect "$OUTPUT" 'summary.totals.events_lost > 0' \
	'summary.totals.events + summary.totals.events_lost >= 4 * 1500'
"$REPORT" summary "$OUTPUT" | grep -qi lost || fail "the summary does not say that events were lost"
