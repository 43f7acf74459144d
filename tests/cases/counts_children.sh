#!/bin/bash
# Heap calls of every kind in forked children: in the same file, with their own numbers.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program counts
run_traced "$PROGRAMS/counts" expected.json 60 0 6 || fail "counts: status $?"
E='load("expected.json")'
for key in allocations bytes_allocated frees bytes_freed frees_unmatched temporary_allocations; do
	set -- "$@" "alloc.totals.$key == $E.totals.$key"
done
# the parent maps memory that it shares with them: one event more
expect "$OUTPUT" "$@" \
	'len(processes.rows) == 7' \
	"all(threads.row(pid=t.pid, tid=t.tid).allocations == t.allocations for t in $E.threads)" \
	"all(threads.row(pid=t.pid, tid=t.tid).bytes_allocated == t.bytes_allocated for t in $E.threads)" \
	"all(processes.row(pid=t.pid).events == t.events for t in $E.threads[1:])" \
	"processes.row(pid=$E.threads[0].pid).events == $E.threads[0].events + 1" \
	"all(processes.row(pid=t.pid).exit_status == 17 for t in $E.threads[1:])" \
	"all(processes.row(pid=t.pid).parent_pid == $E.threads[0].pid for t in $E.threads[1:])" \
	'alloc.totals.frees_unmatched == 6' \
	'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
for file in *.evt; do
	expect_eq "file" "$file" run.evt
done
