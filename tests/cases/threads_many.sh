#!/bin/bash
# 10000 threads one after another, and 2000 at once: all are counted.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program threads
run_traced "$PROGRAMS/threads" sequence 10000 >out || fail "sequence: status $?"
expect "$OUTPUT" 'sum(r.allocations == 3 and r.bytes_allocated == 3 * 808 for r in threads.rows) >= 10000' \
	'summary.totals.events_lost == 0' 'len(threads.rows) == 10001' 'summary.totals.threads == 10001'
OUTPUT=$PWD/together.evt
run_traced "$PROGRAMS/threads" together 2000 >out || fail "together: status $?"
expect "$OUTPUT" 'sum(r.allocations == 3 and r.bytes_allocated == 3 * 808 for r in threads.rows) >= 2000' \
	'summary.totals.events_lost == 0'
