#!/bin/bash
# A process that is killed ends after its last record: what it holds is let go at its end.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program killed_in_range progress
run_traced "$PROGRAMS/killed_in_range" 2>err
(($? == 137)) || fail "it was not killed: $(cat err)"
expect "$OUTPUT" 'ended(processes.rows[0], 137)' 'nvtx.totals.count == 1' 'alloc.totals.frees >= 1'
"$REPORT" dump "$OUTPUT" >dump.out
latest=$(awk '$2 ~ /:/ && $1 > latest { latest = $1 } END { print latest }' dump.out)
ended=$(awk '$3 == "process_end" { print $1 }' dump.out)
((ended > latest)) || fail "the process ended at $ended, its last event is of $latest"

# Times of heap events are rounded. The free of a block must not come after the end of its process.
for round in 1 2 3 4 5 6; do
	rm -f "$OUTPUT" progress
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 3 2>err &
	pid=$!
	eventually "the program's start, round $round" has_progress progress 1000
	kill -9 $pid
	wait $pid 2>/dev/null
	expect "$OUTPUT" 'alloc.totals.frees_unmatched == 0' \
		'alloc.totals.live_allocations == alloc.totals.allocations - alloc.totals.frees'
done
