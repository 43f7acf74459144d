#!/bin/bash
# Blocks that one thread allocates and another frees at once: every free finds its allocation.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program handover
run_traced "$PROGRAMS/handover" 3 60000 || fail "status $?"
expect "$OUTPUT" 'sized(48) == 180000' 'alloc.totals.frees_unmatched == 0' \
	'alloc.totals.frees >= 180000' 'summary.totals.events_lost == 0' \
	'alloc.totals.live_allocations == alloc.totals.allocations - alloc.totals.frees' \
	'alloc.totals.live_bytes == alloc.totals.bytes_allocated - alloc.totals.bytes_freed' \
	'alloc.totals.peak_bytes < 20000'
expect_sums "$OUTPUT"
