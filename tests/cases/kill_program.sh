#!/bin/bash
# kill -9 of the program at random moments: everything that happened before is in the file.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
for round in 1 2 3 4 5; do
	rm -f progress
	OUTPUT=$PWD/run$round.evt # the collector of the round before may be at work still
	threads=$((round % 3 + 1))
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress $threads 2>err &
	pid=$!
	eventually "the program's start" has_progress progress 1
	sleep "0.$((RANDOM % 2))$((RANDOM % 10))5" # any moment
	kill -9 $pid
	wait $pid 2>/dev/null
	done=$(progress_of progress)
	eventually "the file of round $round" test -s "$OUTPUT" # killed in its first milliseconds: the collector has yet to make it
	# An event may have happened and not yet have been counted by the program: one a thread. A thread
	# that is starting uses the heap as well: a few.
	got=$(json alloc "$OUTPUT" 'totals["allocations"] + totals["frees"] + totals["frees_unmatched"]') || fail "the file cannot be read"
	expect_between "events after kill -9, round $round" "$got" "$done" $((done + threads + 8))
	expect "$OUTPUT" 'ended(processes.rows[0], 137)' 'summary.totals.events_lost == 0' \
		'alloc.totals.live_allocations == alloc.totals.allocations - alloc.totals.frees'
	"$REPORT" check "$OUTPUT" >check.out || fail "check after kill -9: $(cat check.out)"
done
