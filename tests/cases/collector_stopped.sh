#!/bin/bash
# A collector that does not move: the program waits a second at most, then drops, counts and ends.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
cat >script.py <<'END'
import sys, time
def blocked():  # not on a CPU, and not waiting for one: what a busy machine does not change
    with open("/proc/self/schedstat") as file:
        cpu, queued = file.read().split()[:2]
    return (time.monotonic_ns() - int(cpu) - int(queued)) / 1e9
input()
start = blocked()
for i in range(400000):
    bytearray(1000 + i % 5)
waited = blocked() - start
print("done in time" if waited < 4 else "it waited %.1f s" % waited)
sys.exit(3)
END
mkfifo go
INTERCEPT_BUFFER=2M INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB python3 script.py <go >out 2>err &
pid=$!
exec 3>go
collector=$(collector_of "$OUTPUT") || fail "no process has the file open"
kill -STOP "$collector"
echo >&3
start=$SECONDS
wait $pid
status=$?
took=$((SECONDS - start))
kill -CONT "$collector"
expect_eq "exit status" $status 3
expect_eq output "$(cat out)" 'done in time'
((took <= 40)) || fail "the end took $took s"
(($(wc -l <err) <= 1)) || fail "more than one line: $(cat err)"
expect "$OUTPUT" 'summary.totals.events_lost > 0'
