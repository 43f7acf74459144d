#!/bin/bash
# The heap in constructors, destructors, thread-local destructors, key destructors and atexit is recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program lifetimes
LIFETIMES=0 OUTPUT=$PWD/none.evt run_traced "$PROGRAMS/lifetimes" >none.out || fail "lifetimes: status $?"
OUTPUT=$PWD/run.evt
LIFETIMES=50 run_traced "$PROGRAMS/lifetimes" >out || fail "lifetimes: status $?"
expect_eq output "$(cat out)" '18 phases'
none=$(json alloc none.evt 'totals["allocations"]')
got=$(json alloc run.evt 'totals["allocations"]')
lost=$(json summary run.evt 'totals["events_lost"]')
# What constructors did before ours is known to be lost at most.
if ((got - none != 18 * 50)); then
	fail "allocations: got $((got - none)), wanted $((18 * 50)); lost: $lost"
fi
expect run.evt 'alloc.totals.frees == alloc.totals.allocations - alloc.totals.live_allocations'
