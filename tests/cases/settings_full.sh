#!/bin/bash
# A small buffer: INTERCEPT_FULL=wait loses nothing, drop counts exactly what it loses.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
try() { # FULL: leaves $done, what the program did
	rm -f ./*.evt progress
	INTERCEPT_FULL=$1 INTERCEPT_BUFFER=1M INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 3 &
	pid=$!
	eventually "more than the buffer holds" has_progress progress 1000000
	kill -9 $pid
	wait $pid 2>/dev/null
	done=$(progress_of progress)
}
try wait
expect "$OUTPUT" 'summary.totals.events_lost == 0' \
	"$done <= summary.totals.events <= $done + 20" \
	'alloc.totals.frees_unmatched == 0'
try drop
expect "$OUTPUT" "$done <= summary.totals.events + summary.totals.events_lost <= $done + 20"
