#!/bin/bash
# vfork, posix_spawn and system: their programs stay dormant, the parent is counted exactly.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
for how in vfork spawn; do
	rm -f ./*.evt
	run_traced "$PROGRAMS/processes" $how 10 || fail "$how: status $?"
	expect "$OUTPUT" 'sized(5001) == 40' 'len(processes.rows) == 1'
	expect_eq "files after $how" "$(echo ./*.evt)" ./run.evt
done
rm -f run.evt
run_traced "$PROGRAMS/processes" vfork-heap 10 || fail "vfork-heap: status $?"
# The child of vfork is the parent's memory: its blocks may be counted or not, but the parent's are.
expect "$OUTPUT" 'sized(5001) == 80' \
	'alloc.totals.live_allocations == 80'
