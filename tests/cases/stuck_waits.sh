#!/bin/bash
# With +osrt stuck says in which function a thread waits, who holds a mutex of C, and which threads wait for each other, in C as well; and who was stopped.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >hang.py <<'END'
import ctypes
import os
import threading

libc = ctypes.CDLL(None)
first, second = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
both = threading.Barrier(2)


def take(one, other):
    libc.pthread_mutex_lock(one)
    both.wait()
    libc.pthread_mutex_lock(other)  # here


def read():
    os.read(os.pipe()[0], 1)  # there


threading.Thread(target=read, name="reads", daemon=True).start()
threading.Thread(target=take, args=(second, first), name="other", daemon=True).start()
take(first, second)
END
here=$(grep -n '# here' hang.py | cut -d: -f1) there=$(grep -n '# there' hang.py | cut -d: -f1)
INTERCEPT_TRACE=+osrt,-alloc INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB python3 hang.py >out 2>&1 &
pid=$!
trap 'kill -9 $pid 2>/dev/null' EXIT
said() {
	"$REPORT" stuck --live "$OUTPUT" 2>/dev/null | tr -s '\n ' ' '
}
# shellcheck disable=SC2317 # called by eventually
says_all() {
	[[ $(said) == *"Process $pid: 2 threads wait for locks of each other"* && $(said) == *"hang.py:$there read "* ]]
}
eventually "the deadlock ($(said))" says_all
kill -9 $pid
wait $pid 2>/dev/null
written
expect_match "after SIGKILL" "$(said)" "thread $pid is at hang\.py:$here \(take\), waiting for a lock \(in pthread_mutex_lock\) that thread [0-9]+ holds, at hang\.py:$here \(take\)\."
other=$(json stuck "$OUTPUT" "row(tid=$pid)['held_by']")
expect_eq "who holds the other one" "$(json stuck "$OUTPUT" "row(tid=$other)['held_by']")" "$pid"
! "$REPORT" stuck "$OUTPUT" | grep -w 'rank' || fail "a column of ranks, where no process has one"
expect_match "a pipe" "$(json stuck "$OUTPUT" '" ".join(str(r["waits_for"]) for r in rows)')" '\(in read of pipe:\[[0-9]+\]\)'

# A program in C: nothing happens in it any more, and stuck and watch say so while it hangs.
rm -f ./*.evt*
INTERCEPT_TRACE=+osrt INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/waits" deadlock >out 2>&1 &
pid=$!
line=$(grep -n 'pthread_mutex_lock(&crossed\[!first\])' "$ROOT/tests/programs/waits.c" | cut -d: -f1)
each="has been in pthread_mutex_lock for [0-9.]+ m?s, called by cross \(waits\.c:$line\), waiting for the mutex 0x[0-9a-f]+ that thread"
cycle="^Process $pid: 2 threads wait for locks of each other, so none of them goes on: Thread [0-9]+ $each [0-9]+ holds\. Thread [0-9]+ $each [0-9]+ holds\. "
"$REPORT" watch --interval 1 "$OUTPUT" >watched 2>&1 &
# shellcheck disable=SC2317 # called by eventually
is_said() {
	[[ $(said) =~ $cycle ]] && tr -s '\n ' ' ' <watched | grep -q "Process $pid: 2 threads wait for locks of each other"
}
eventually "a deadlock in C ($(said); $(tail -20 watched))" is_said
# and it is stopped, which nothing that it does could tell
kill -STOP $pid
stopped="${cycle}Process $pid has been stopped by a signal for [0-9.]+ m?s\. "
# shellcheck disable=SC2317 # called by eventually
is_said_to_be_stopped() {
	[[ $(said) =~ $stopped ]]
}
eventually "a stopped process ($(said))" is_said_to_be_stopped
kill -9 $pid
wait $pid 2>/dev/null
written
expect_match "after SIGKILL" "$(said)" "${cycle}Process $pid was stopped by a signal, and [0-9.]+ m?s later it was killed by SIGKILL\. "
