#!/bin/bash
# CPU time and waits of threads, ranges and steps: what runs, sleeps and waits for a lock; 1000 threads; fork; no /proc.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program running
ms=1000000
used() { awk -v name="$1" '$1 == name { print $2 }' out; } # what the program has seen itself
of_thread() { json threads "$OUTPUT" "row(name=\"$1\")[\"$2\"]"; }
of_range() { json nvtx "$OUTPUT" "row(name=\"$1\")[\"$2\"]"; }

# CPU time is no wall time: however busy the machine is, who sleeps uses none and who runs all that it asks for.
run_traced "$PROGRAMS/running" three >out || fail "three: status $?"
expect_between "CPU time of the thread that runs" "$(of_thread spins cpu_ns)" $((300 * ms)) $(($(used spins) + 50 * ms))
for name in sleeps waits; do
	expect_between "CPU time of the thread that $name" "$(of_thread $name cpu_ns)" 1 $(($(used $name) + 50 * ms))
	expect_between "what it was blocked" "$(of_thread $name blocked_ns)" $((100 * ms)) $((60000 * ms))
	expect_between "CPU time of its range" "$(of_range $name cpu_ns)" 0 $((100 * ms))
done
expect_between "CPU time of the range that runs" "$(of_range spins cpu_ns)" $((299 * ms)) $(($(used spins) + 50 * ms))
expect "$OUTPUT" 'all(r.cpu_ns + r.runnable_ns <= r.end_ns - r.start_ns + 100e6 for r in threads.rows)' \
	'threads.row(name="sleeps").voluntary_switches >= 0' 'processes.rows[0].blocked_ns > 0' \
	'nvtx.totals.count == 3' 'summary.totals.events == 3 * (4 + 2) + threads.row(name="running").events'
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"

# Readings of the clock are no events of the program: nowhere, with filters or without.
expect_sums "$OUTPUT"
tid=$(of_thread spins tid)
expect_eq "events of the thread, filtered" "$(json threads "$OUTPUT" 'rows[0]["events"]' --thread "$tid")" 6

# A step that runs for 20 ms and sleeps for 30.
OUTPUT=$PWD/steps.evt
INTERCEPT_STEP=step run_traced "$PROGRAMS/running" steps >out || fail "steps: status $?"
expect "$OUTPUT" 'steps.totals.steps >= 4' \
	"all(20e6 <= r.running_ns < $(used step) + 9e6 and r.waiting_ns >= 30e6 for r in steps.rows)" \
	'all(r.other_running_ns + r.other_waiting_ns == r.other_ns for r in steps.rows)' \
	'all(r.operators_ns == 0 and r.operators_running_ns is None for r in steps.rows)' \
	'steps.totals.waiting_ns >= 4 * 30e6'

# The child's clock begins with it.
OUTPUT=$PWD/fork.evt
run_traced "$PROGRAMS/running" fork >out || fail "fork: status $?"
expect_between "CPU time of the child" "$(of_thread child cpu_ns)" $((100 * ms)) $(($(used child) + 50 * ms))
(($(used child) < 250 * ms)) || fail "the child has its parent's time: $(used child)"

# More threads than one look sees.
OUTPUT=$PWD/many.evt
run_traced "$PROGRAMS/running" many 1000 || fail "many: status $?"
expect "$OUTPUT" 'len(threads.rows) == 1001' 'sum((r.cpu_ns or 0) >= 2e6 for r in threads.rows) >= 1000' \
	'summary.totals.events_lost == 0'

# Nothing is to be seen in /proc: threads tell of themselves, of what they waited for nobody does.
unshare -m true 2>/dev/null || skip "all but what is without /proc: may not make a mount namespace (root needed)"
OUTPUT=$PWD/blind.evt
export OUTPUT
# shellcheck disable=SC2016
unshare -m bash -c 'mount -t tmpfs none /proc && INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/running" three' >out ||
	fail "without /proc: status $?"
expect_between "CPU time of the thread that runs" "$(json threads "$OUTPUT" 'max(r["cpu_ns"] or 0 for r in rows)')" \
	$((300 * ms)) $(($(used spins) + 50 * ms))
expect "$OUTPUT" 'all(r.runnable_ns is None and r.blocked_ns is None for r in threads.rows)' \
	'processes.rows[0].runnable_ns is None'
"$REPORT" threads "$OUTPUT" >text.txt || fail "threads"
