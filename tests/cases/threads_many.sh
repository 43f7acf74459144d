#!/bin/bash
# 10000 threads one after another, and 2000 at once: all are recorded, or counted as lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program threads
whole='sum(r.allocations == 3 and r.bytes_allocated == 3 * 808 for r in threads.rows)'

# A collector that gets no turn for a second, as beside a disk that is busy for so long, is not waited for any longer: what
# threads do meanwhile is lost and counted. That may happen once; each thread is whole or lost in any case.
lossless() { # THREADS HOW: three tries
	local try
	for try in 1 2 3; do
		rm -f "$OUTPUT"
		run_traced "$PROGRAMS/threads" "$2" "$1" >out || fail "$2: status $?"
		expect "$OUTPUT" "$whole + summary.totals.events_lost // 4 >= $1" 'len(threads.rows) == summary.totals.threads'
		python3 "$ROOT/tests/expect.py" "$REPORT" "$OUTPUT" 'summary.totals.events_lost == 0' >/dev/null 2>&1 && return
		echo "try $try of $2 lost events"
	done
	fail "$2 lost events three times"
}

lossless 10000 sequence
expect "$OUTPUT" 'len(threads.rows) == 10001'
OUTPUT=$PWD/together.evt
lossless 2000 together
