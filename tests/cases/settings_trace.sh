#!/bin/bash
# INTERCEPT_TRACE chooses the families.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program signals
INTERCEPT_TRACE=-alloc run_traced "$PROGRAMS/signals" 50 expected.json || fail "status $?"
E='load("expected.json")'
expect "$OUTPUT" 'alloc.totals.allocations == 0' "nvtx.row(name='loop').count == $E.pairs"
# what was not recorded is not zero
expect "$OUTPUT" "nvtx.row(name='loop').bytes_allocated is None" "nvtx.row(name='loop').cuda_calls == 0" \
	'threads.rows[0].allocations is None'
rm -f run.evt
INTERCEPT_TRACE=-nvtx run_traced "$PROGRAMS/signals" 50 expected.json || fail "status $?"
expect "$OUTPUT" "alloc.totals.allocations == $E.handled + 1" 'nvtx.totals.count == 0'
rm -f run.evt
INTERCEPT_TRACE=alloc run_traced "$PROGRAMS/signals" 50 expected.json || fail "status $?"
expect "$OUTPUT" "alloc.totals.allocations == $E.handled + 1" 'nvtx.totals.count == 0'
