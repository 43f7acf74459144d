#!/bin/bash
# kill -9 of a program that launches: every launch that had returned is in the file.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_progress
for threads in 1 2 3; do
	rm -f run.evt progress
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/cuda_progress" progress $threads 2>err &
	pid=$!
	eventually "the program's start" has_progress progress 1
	sleep "0.$((RANDOM % 2))$((RANDOM % 10))5" # any moment
	kill -9 $pid
	wait $pid 2>/dev/null
	done=$(progress_of progress)
	eventually "the file" test -s "$OUTPUT" # killed in its first milliseconds: the collector has yet to make it
	# one a thread may have returned and not yet have been counted by the program
	got=$(json launches "$OUTPUT" 'totals["calls"]') || fail "the file cannot be read"
	expect_between "launches after kill -9" "$got" "$done" $((done + threads))
	expect "$OUTPUT" 'ended(processes.rows[0], 137)' 'summary.totals.events_lost == 0' \
		'launches.row(kernel="until_killed").calls == launches.totals.calls'
	"$REPORT" check "$OUTPUT" >check.out || fail "check after kill -9: $(cat check.out)"
done
