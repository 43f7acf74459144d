#!/bin/bash
# A program that does nothing has no events, and its file is complete and small.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
run_traced "$PROGRAMS/empty" || fail "status $?"
expect "$OUTPUT" 'alloc.totals.allocations == 0' 'alloc.totals.frees == 0' \
	'summary.totals.events == 0' 'summary.totals.events_lost == 0' \
	'len(processes.rows) == 1' 'processes.rows[0].exit_status == 0' \
	'summary.totals.processes == 1' 'nvtx.totals.count == 0'
"$REPORT" check "$OUTPUT" || fail "check: status $?"
zstd -qt "$OUTPUT" 2>zstd.err || [[ $(command -v zstd) == "" ]] || fail "zstd -t: $(cat zstd.err)"
expect_between "bytes of the file" "$(stat -c %s "$OUTPUT")" 100 65536
expect_eq "mode of the file" "$(stat -c %a "$OUTPUT")" 600
