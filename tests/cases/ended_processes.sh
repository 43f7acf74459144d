#!/bin/bash
# Programs that run one after the other and free nothing: the peak of all is that of one, what was never freed is that of all.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
one=$((40 * 5001))
# shellcheck disable=SC2016 # the inner shell's
INTERCEPT_CHILDREN=all run_traced bash -c '"$1" vfork; "$1" vfork; exec "$1" vfork' bash "$PROGRAMS/processes" || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 120' "$one <= alloc.totals.peak_bytes" \
	"alloc.totals.peak_bytes - $one < $one" \
	"alloc.totals.live_bytes >= 3 * $one" "alloc('--by', 'process').sum('live_bytes') == alloc.totals.live_bytes" \
	"alloc('--by', 'process').sum('peak_bytes') == alloc.totals.peak_bytes" \
	'summary.totals.peak_bytes == alloc.totals.peak_bytes' 'summary.totals.events_lost == 0'
