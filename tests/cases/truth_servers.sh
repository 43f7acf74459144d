#!/bin/bash
# Servers with one planted cause each, run and asked by a client: the cause is advised, with its line; of servers that are well nothing is.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# Work of a fixed number of requests. What waits takes its time whatever the machine does; what computes is judged by kept recordings
# (truth_recorded), where no other program had the CPUs.
export PYTHONPATH=$ROOT/tests/truth
python=${PYTHON:-python3}
record() { # NAME
	local program=$ROOT/tests/truth/programs/$1.py trace
	rm -f "$OUTPUT" ./*.evt
	trace=$(sed -n 's/^# trace: //p' "$program")
	INTERCEPT_TRACE=${trace:--alloc,-tensors} run_traced "$python" "$program" >out 2>err || fail "$1: status $?: $(tail -3 err)"
	expect_eq "output of $1" "$(cat out err)" ''
	python3 -S "$ROOT/tests/truth/judge.py" --live "$REPORT" "$OUTPUT" "$program" || fail "$1: $("$REPORT" bottleneck "$OUTPUT" | tail -40)"
}
for name in server_blocking_call server_lock server_pool server_batcher server_cache server_sleeps server_slow_requests server_to_thread server_downstream server_threads server_pieces; do
	record "$name"
done
# A server that is well has no warning, but for what is true of any program that has no CPU for a moment, which in a run of half a second is
# much: that an event loop, a lock or the GIL was held meanwhile, and that some requests took longer. truth_recorded wants none of these, either.
without_cpu="blocked_event_loop gil_starvation lock_wait serialisation slow_requests workers_times_threads"
for name in server_good server_good_threads server_good_pool; do
	record "$name"
	expect_eq "advice of $name" "$(json bottleneck "$OUTPUT" \
		'" ".join(r["id"] for r in rows if r["severity"] != "note" and r["id"] not in "'"$without_cpu"'".split())')" ''
done
rm -f "$OUTPUT" ./*.evt
# threads of a pool have its name, and the report knows how many threads the pool may have
INTERCEPT_TRACE=-alloc run_traced "$python" "$ROOT/tests/truth/programs/server_pool.py" >out 2>err || fail "$(tail -3 err)"
expect_eq "threads of the pool" "$(json threads "$OUTPUT" '" ".join(sorted(r["name"] for r in rows if r["name"].startswith("lookups")))')" "lookups_0 lookups_1"
expect_match "lines by thread" "$("$REPORT" lines --by thread "$OUTPUT")" 'lookups_1'
expect_match "what is recorded" "$("$REPORT" dump "$OUTPUT")" 'nvtx_thread_name tid=[0-9]+ name="?lookups_1"? pool_threads=2'
