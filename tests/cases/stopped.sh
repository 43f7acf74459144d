#!/bin/bash
# A program that a signal had stopped for a while: the summary says for how long, and no wait, line or bar has that time, with samples or without.
# SPDX-License-Identifier: MIT
# timeout: 200
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export INTERCEPT_TRACE=-alloc
cat >works.py <<'END'
import os
def work():
    return sum(range(20000))
while not os.path.exists("end"):
    work()
END
# shellcheck disable=SC2317 # called by eventually
is_told() { # NUMBER: the newest process_cpu says so
	[[ $("$REPORT" dump --live "$OUTPUT" 2>/dev/null | grep ' process_cpu ' | tail -n 1) == *" stopped=$1" ]]
}
for hz in 50 0; do
	rm -f ./*.evt* end
	INTERCEPT_SAMPLE=$hz INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB python3 works.py 2>err &
	pid=$!
	eventually "the program" is_told 0
	stop=$(date +%s%N)
	kill -STOP $pid
	eventually "that it is stopped" is_told 1
	seen=$(date +%s%N)
	sleep 2.5 # the stop itself, which is measured
	cont=$(date +%s%N)
	kill -CONT $pid
	eventually "that it goes on" is_told 0
	gone=$(date +%s%N)
	: >end
	wait $pid || fail "at $hz Hz: status $? ($(cat err))"
	written
	"$REPORT" "$OUTPUT" >screen 2>&1
	expect_match "the summary at $hz Hz" "$(tr -s '\n ' ' ' <screen)" 'stopped [0-9]+ %.*A signal had stopped the program: '
	expect_between "the time at $hz Hz" "$(json bottleneck "$OUTPUT" 'row(id="stopped")["stake_ns"]')" $((cont - seen)) $((gone - stop))
	expect_eq "waits at $hz Hz" "$(json bottleneck "$OUTPUT" '[r["id"] for r in rows if "wait" in r["id"]]')" '[]'
done

# Samples know it to a fiftieth of a second, and no line has it.
rm -f ./*.evt*
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB python3 -c 'import os, signal, time
child = os.fork()
if not child:
    time.sleep(0.3)
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(1)
    os.kill(os.getppid(), signal.SIGCONT)
    os._exit(0)
while not os.waitpid(child, os.WNOHANG)[0]:
    sum(range(20000))' || fail "status $?"
written
expect_match "what lines say" "$("$REPORT" lines --process "$(json processes "$OUTPUT" 'rows[0]["pid"]')" "$OUTPUT" | tr -s '\n ' ' ')" \
	'Signals or a debugger had stopped threads for [0-9.]+ m?s in all: no line has that time\.'
