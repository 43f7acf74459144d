#!/bin/bash
# A thread's CPU time and life are whole, however late it records something: its own clock says so.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

run_traced "$PROGRAMS/late_records" >said || fail "ended with $?"
expect_eq "threads" "$(cut -d ' ' -f 1 said | sort | xargs)" "child last one two"
while read -r name cpu wall; do
	# from the line to its end a thread does next to nothing
	expect "$OUTPUT" "$cpu <= threads.row(name='$name').cpu_ns < $cpu + 50e6" \
		"threads.row(name='$name').end_ns - threads.row(name='$name').start_ns >= threads.row(name='$name').cpu_ns"
	[[ $name != last ]] || expect "$OUTPUT" "threads.row(name='$name').end_ns - threads.row(name='$name').start_ns >= $wall - 20e6" # a tick, and rounding
done <said
expect "$OUTPUT" 'threads.sum("cpu_ns") <= processes.sum("cpu_ns")' 'threads.sum("cpu_ns") >= 800e6'
! "$REPORT" "$OUTPUT" | grep 'recorded nothing' || fail "CPU time of threads that are in the table is said to be others'"

# what the main thread used as another program, before its exec, is not its own
cat >main.sh <<'END'
for ((i = 0; i < 400000; i++)); do :; done
exec "$PROGRAMS/late_records"
END
rm -f ./*.evt*
run_traced bash main.sh >said || fail "main.sh ended with $?"
expect "$OUTPUT" 'max(t.cpu_ns for t in threads.rows if t.tid in [p.pid for p in processes.rows]) < 100e6'
