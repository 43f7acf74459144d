#!/bin/bash
# prof-report sample: a Python that was started without intercept, its lines and native functions; what cannot be sampled is said in one line.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program asked
cat >busy.py <<'END'
import os, time

def spin():
    for _ in range(20000):
        pass

def nap():
    time.sleep(0.001)

open("ready", "w").close()
while not os.path.exists("stop"):
    spin()
    nap()
END
tried=
for python in "${PYTHONS[@]}"; do
	rm -f ready stop
	"$python" busy.py &
	program=$!
	trap 'touch "$PWD/stop"; wait' EXIT
	eventually "$python to begin" test -e ready
	# a program that others keep from a CPU may be seen at no place of its own for two seconds
	for ((try = 0; try < 60; try++)); do
		rm -f out.evt
		"$REPORT" sample "$program" --for 2s -o out.evt >out 2>err || fail "sample: status $?: $(cat err)"
		expect_eq "the file" "$(cat out)" "$PWD/out.evt"
		! grep -q 'has no Python' err || break
		[[ $(json lines out.evt 'any(row["function"] == "spin" for row in rows)') != true ]] || break
	done
	touch stop
	wait "$program" || fail "$python: status $?"
	"$REPORT" check out.evt >/dev/null || fail "the file is damaged: $("$REPORT" check out.evt)"
	if grep -q 'has no Python' err; then continue; fi
	expect out.evt 'lines().select(function="spin")' 'processes().rows[0].pid == '"$program" 'not alloc().rows'
	"$REPORT" out.evt | tr '\n' ' ' | grep -q 'It was sampled from outside' || fail "the summary does not say how it was made"
	"$REPORT" ops out.evt | tr '\n' ' ' | grep -q 'sampled from outside' || fail "why there are no operators is not said"
	tried=1
done
[[ $tried ]] || skip "no CPython whose symbols can be found"

# A program without Python: native stacks where the kernel allows it, and that is said.
rm -f stop
"$PROGRAMS/asked" "$PWD/stop" &
program=$!
eventually "asked to begin" test "/proc/$program/exe" -ef "$PROGRAMS/asked"
"$REPORT" sample "$program" --for 300ms >out 2>err || fail "sample of a C program: status $?: $(cat err)"
expect_match "what is said of it" "$(cat err)" "process $program has no Python whose stacks can be read"
expect_eq "its file" "$(cat out)" "$PWD/sample.$program.evt"
if [[ $(id -u) = 0 ]] && command -v setpriv >/dev/null; then
	chmod 777 "$PWD"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$REPORT" sample "$program" 2>err && fail "another user's program was sampled"
	expect_match "another user's program" "$(cat err)" 'belongs to another user; only that user or root'
fi
touch stop
wait "$program"
refuses 1 "process $program does not exist" sample "$program"
refuses 2 'sample takes the pid of one process' sample run.evt
refuses 2 "'5' is not a time" sample --for 5 1
refuses 1 "cannot create" sample "$$" --for 100ms -o /nonexistent/x.evt
exit 0
