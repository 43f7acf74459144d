#!/bin/bash
# A signal handler that uses the heap and NVTX inside our hooks: nothing is lost, errno is kept.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program signals
run_traced "$PROGRAMS/signals" 1500 expected.json || fail "signals: status $?"
E='load("expected.json")'
expect "$OUTPUT" \
	"alloc.totals.allocations == $E.handled + 1" \
	'alloc.totals.frees == alloc.totals.allocations' \
	"nvtx.row(name='loop').count == $E.pairs" \
	"nvtx.row(name='in handler').count == $E.handled" \
	'all(row.open == 0 for row in nvtx.rows)' \
	'summary.totals.events_lost == 0'
expect_sums "$OUTPUT"
