#!/bin/bash
# Threads that record nothing are in no row, and those of samples only have no CPU time of their own: the reports say how much they took.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program silent_threads
run_traced "$PROGRAMS/silent_threads" || fail "ended with $?"
expect "$OUTPUT" 'len(threads.rows) == 1' \
	'threads.totals.other_threads_cpu_ns == processes.sum("cpu_ns") - threads.sum("cpu_ns")' \
	'threads.totals.other_threads_cpu_ns >= 800e6'
for report in threads summary; do
	expect_match "what $report says" "$("$REPORT" $report "$OUTPUT" | tr '\n' ' ')" \
		'Threads that recorded nothing, and time before recording began, took [0-9.]+ m?s of CPU time\.'
done
! "$REPORT" threads --time ..1s "$OUTPUT" 2>&1 | grep 'recorded nothing' || fail "a part of the threads is said to be all"

# a thread whose only record is its last: it is known what it did before, whether it lived when that was read or not
rm -f run*.evt
run_traced "$PROGRAMS/silent_threads" late "$PWD/run.evt" >out || fail "late: ended with $?"
if [[ -r /proc/self/schedstat ]]; then
	expect_eq "runnable and blocked, and both within its life" \
		"$(json threads run.evt "[r['cpu_ns'] > 0 and r['blocked_ns'] > 0 and r['cpu_ns'] + r['runnable_ns'] + r['blocked_ns'] == r['end_ns'] - r['start_ns'] for r in rows if r['tid'] == $(cat out)]")" "[true]"
fi

# with samples: the same, and how many of them are known by these
rm -f run*.evt
INTERCEPT_TRACE=+native-samples run_traced "$PROGRAMS/silent_threads" || fail "sampled: ended with $?"
"$REPORT" check --wait 60 "$OUTPUT" >out || fail "sampled: $(cat out)"
sampled=$(json threads "$OUTPUT" 'sum(r.get("cpu_ns") is None for r in rows)')
((sampled)) || exit 0 # no perf_event_open() here
expect_match "sampled" "$("$REPORT" threads "$OUTPUT" | tr '\n' ' ')" \
	"Threads that recorded nothing \\($sampled of them known by samples\\), and time before recording began, took [0-9.]+ m?s of CPU time\\."
