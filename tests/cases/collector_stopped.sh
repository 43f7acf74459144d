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
with open("start", "w") as file:
    print(start, file=file)
for i in range(400000):
    bytearray(1000 + i % 5)
waited = blocked() - start
print("done in time" if waited < 4 else "it waited %.1f s" % waited)
sys.exit(3)
END
# The same to its end: it is looked at when it has ended, and before it is waited for.
cat >parent.py <<'END'
import os, sys, subprocess, time
environment = dict(os.environ, LD_PRELOAD=sys.argv[1], INTERCEPT_OUTPUT=sys.argv[2], INTERCEPT_BUFFER="2M")
program = subprocess.Popen([sys.executable, "script.py"], env=environment)
os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
with open("/proc/%d/schedstat" % program.pid) as file:
    cpu, queued = file.read().split()[:2]
blocked = (time.monotonic_ns() - int(cpu) - int(queued)) / 1e9 - float(open("start").read())
with open("took", "w") as file:
    print("in time" if blocked < 10 else "it waited %.1f s" % blocked, file=file)
sys.exit(program.wait())
END
mkfifo go
python3 parent.py "$LIB" "$OUTPUT" <go >out 2>err &
pid=$!
exec 3>go
collector=$(collector_of "$OUTPUT") || fail "no process has the file open"
kill -STOP "$collector"
echo >&3
wait $pid
status=$?
kill -CONT "$collector"
expect_eq "exit status" $status 3
expect_eq output "$(cat out)" 'done in time'
expect_eq "its end" "$(cat took)" 'in time'
(($(wc -l <err) <= 1)) || fail "more than one line: $(cat err)"
expect "$OUTPUT" 'summary.totals.events_lost > 0'
