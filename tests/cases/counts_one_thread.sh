#!/bin/bash
# Heap calls of every kind on one thread: totals, live, temporary and peak are those of the program.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program counts
run_traced "$PROGRAMS/counts" expected.json 200 || fail "counts: status $?"
E='load("expected.json")'
for key in allocations bytes_allocated frees bytes_freed frees_unmatched temporary_allocations; do
	set -- "$@" "alloc.totals.$key == $E.totals.$key"
done
expect "$OUTPUT" "$@" \
	"alloc.totals.peak_bytes == $E.peak_bytes" \
	'alloc.totals.live_allocations == 200' \
	'alloc.totals.live_bytes == 200 * 77' \
	'len(threads.rows) == 1 and len(processes.rows) == 1' \
	'processes.rows[0].exit_status == 0' \
	"threads.rows[0].tid == $E.threads[0].tid" \
	'threads.rows[0].events == summary.totals.events' \
	'summary.totals.events_lost == 0' \
	'lost_nothing(alloc)'
expect_sums "$OUTPUT"
