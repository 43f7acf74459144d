#!/bin/bash
# A signal handler that interrupts a hook and forks, or leaves by siglongjmp(): nothing else is lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program handlers
# several times: what goes wrong takes a parent that goes round its ring meanwhile
for _ in 1 2 3 4 5; do
	rm -f run.evt
	run_traced "$PROGRAMS/handlers" fork || fail "status $?"
	expect "$OUTPUT" 'sized(4243) == 20000' 'sized(4244) == 100 * 500' 'len(processes.rows) == 101' \
		'summary.totals.events_lost == 0'
	"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
done
rm -f run.evt
marks=$(run_traced "$PROGRAMS/handlers" jump)
got=$("$REPORT" dump "$OUTPUT" | grep -c ' nvtx_mark .*"again"')
# a mark that was jumped out of may have been recorded without being counted by the program, or the other way round
expect_between "marks" "$got" $((marks - 50)) $((marks + 50))
