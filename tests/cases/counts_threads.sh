#!/bin/bash
# Heap calls of every kind on 8 threads: each thread has its own numbers, and they add up.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program counts
OUTPUT=$PWD/none.evt run_traced "$PROGRAMS/counts" none.json 0 8 || fail "counts: status $?"
OUTPUT=$PWD/run.evt
run_traced "$PROGRAMS/counts" expected.json 300 8 || fail "counts: status $?"
E='load("expected.json")'
expect "$OUTPUT" \
	'len(threads.rows) == 9' \
	"all(threads.row(tid=t.tid).allocations == t.allocations for t in $E.threads[1:])" \
	"all(threads.row(tid=t.tid).bytes_allocated == t.bytes_allocated for t in $E.threads[1:])" \
	"all(threads.row(tid=t.tid).events == t.events for t in $E.threads[1:])" \
	'alloc.totals.frees_unmatched == 0' \
	'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
# Starting threads uses the heap too, always the same: what is above that is the program's.
for key in allocations bytes_allocated frees bytes_freed temporary_allocations live_bytes; do
	none=$(json alloc none.evt "totals['$key']")
	got=$(json alloc run.evt "totals['$key']")
	wanted=$(python3 -S -c "import json; t = json.load(open('expected.json'))['totals']
t['live_bytes'] = t['bytes_allocated'] - t['bytes_freed']
print(t['$key'])")
	expect_eq "$key" $((got - none)) "$wanted"
done
