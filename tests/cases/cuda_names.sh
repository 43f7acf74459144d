#!/bin/bash
# Kernels with names of 10,000 characters, 100,000 kernels, 1,000,000 launches that all differ: exact, in bounded memory.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_names
export FAKE_CUDA_COUNTS=$PWD/counts.json

# The most memory that the collector of this run has had so far, in kB.
collector_memory() {
	local process
	for process in /proc/[0-9]*; do
		[[ $(readlink "$process/exe" 2>/dev/null) == "$COLLECTOR" ]] || continue
		readlink "$process"/fd/* 2>/dev/null | grep -qxF "$OUTPUT" &&
			sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "$process/status"
	done
}

mkfifo go ended
names() { # WHAT...: the program waits at its end while the collector is looked at
	local pid
	rm -f run.evt* counts.json
	run_traced "$PROGRAMS/cuda_names" "$@" <go >ended 2>names.err &
	pid=$!
	exec 3>go
	read -r _ <ended
	expect_between "$*: memory of the collector, kB" "$(collector_memory)" 1 64000
	exec 3>&-
	wait $pid || fail "$*: status $?"
	[[ -s names.err ]] && fail "$*: $(cat names.err)"
	same_as_fake "$OUTPUT" counts.json
	expect "$OUTPUT" 'summary.totals.events_lost == 0'
}

names long
expect "$OUTPUT" 'sorted(row.calls for row in launches("--names", "mangled").rows) == [1, 2, 3]' \
	'all(len(row.kernel) == 10000 for row in launches("--names", "mangled").rows)'
names gone
expect "$OUTPUT" 'launches.row(kernel="of_a_compiler_in_the_program").calls == 1'
names kernels 100000
expect "$OUTPUT" 'len(launches.rows) == 100000' 'launches.totals.calls == 100000'
names launches 1000000
expect "$OUTPUT" 'launches.row(kernel="launched").calls == 1000000'
"$REPORT" launches --by grid --format csv --limit 0 --columns grid,calls "$OUTPUT" >grids.csv || fail "launches --by grid"
expect_eq "grids" "$(sed 1d grids.csv | grep -c ',1$')" 1000000
expect_between "bytes of a launch on disk" $(($(stat -c %s "$OUTPUT") / 1000000)) 1 40
