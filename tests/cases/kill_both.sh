#!/bin/bash
# kill -9 of program and collector together: readable, and all that had been written is there.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
has_recorded() { # EVENTS: they are in the file
	local events
	events=$(json alloc "$OUTPUT" 'totals["allocations"] + totals["frees"] + totals["frees_unmatched"]' --live 2>/dev/null)
	((${events:-0} >= $1))
}

INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 2 1000 2>err &
pid=$!
eventually "the program's start" has_progress progress 1000
collector=$(collector_of "$OUTPUT")
[[ $collector ]] || fail "no process has the file open"
early=$(progress_of progress)
eventually "a frame that was closed and written while the program runs" has_recorded "$early"
kill -9 "$collector" $pid
wait $pid 2>/dev/null
late=$(progress_of progress)
# Not complete, so status 1; what is there is shown.
"$REPORT" alloc --format json "$OUTPUT" >alloc.json 2>err
expect_eq "exit status of an unfinished file" $? 1
expect_eq "lines on standard error" "$(wc -l <err)" 1
got=$(python3 -S -c "import json; t = json.load(open('alloc.json'))['totals']; print(t['allocations'] + t['frees'] + t['frees_unmatched'])")
expect_between "events" "$got" "$early" $((late + 20))
