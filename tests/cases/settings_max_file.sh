#!/bin/bash
# INTERCEPT_MAX_FILE bounds the file; what comes after is counted as lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
INTERCEPT_MAX_FILE=256K INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 2 &
pid=$!
eventually "four times of what the file has room for" has_progress progress 6000000
kill -9 $pid
wait $pid 2>/dev/null
done=$(progress_of progress)
expect_between "bytes of the file" "$(stat -c %s "$OUTPUT")" 50000 400000
expect "$OUTPUT" 'summary.totals.events_lost > 0' \
	"summary.totals.events + summary.totals.events_lost >= $done" \
	"summary.totals.events + summary.totals.events_lost <= $done + 20"
"$REPORT" summary "$OUTPUT" | grep -qi lost || fail "the summary does not say that events were lost"
