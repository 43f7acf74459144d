#!/bin/bash
# INTERCEPT_CAPTURE=trigger: nothing is recorded until `prof-report capture` asks; captures are told apart; who may ask, and when.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program asked
dumped() { # REGEX [FILE]
	"$REPORT" dump "${2:-$OUTPUT}" | grep -Ec "$1"
}

start() { # FILE [HOW]; sets $program
	rm -f stop
	INTERCEPT_CAPTURE=trigger INTERCEPT_OUTPUT=$PWD/$1 LD_PRELOAD=$LIB "$PROGRAMS/asked" "$PWD/stop" ${2:+"$2"} &
	program=$!
	trap 'touch "$PWD/stop"; wait' EXIT
	collector_of "$PWD/$1" >/dev/null || fail "no collector of $1"
}

end() { # FILE
	touch stop
	wait "$program" || fail "asked: status $?"
	written "$1"
	"$REPORT" check "$1" >/dev/null || fail "$1 is damaged: $("$REPORT" check "$1")"
}

start run.evt
"$REPORT" capture --for 300ms "$program" >first || fail "first capture: status $?"
expect_match "the first capture" "$(cat first)" "^$OUTPUT: capture 1: 3[0-9.]+ ms from .* on\$|^$OUTPUT: capture 1: [0-9.]+ m?s from .* on\$"
"$REPORT" capture --for 600s run.evt >second &
asker=$!
# shellcheck disable=SC2317 # eventually calls it
end_of_second() { "$REPORT" dump run.evt 2>/dev/null | grep -q 'capture_begin number=2'; }
eventually "the second capture to begin" end_of_second
"$REPORT" capture --for 1s "$program" >third 2>err && fail "a capture while another is under way was taken"
expect_match "a capture while another is under way" "$(cat err)" "capture 2 of '.*/run.evt' is under way"
refuses 2 'capture: .* --for|a time from 1ms to 24h' capture --for 5 "$program"
refuses 2 "a number of steps from 1 to a million" capture --steps 0 "$program"
refuses 2 '--for and --steps are both given' capture --for 5s --steps 3 "$program"
refuses 2 "a rank or a range of ranks" capture --ranks x "$program"
refuses 1 'none of these ranks' capture --ranks 3 "$program"
if [[ $(id -u) = 0 ]] && command -v setpriv >/dev/null; then
	chmod 755 "$PWD"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$REPORT" capture "$program" 2>err && fail "another user's request was taken"
	expect_match "another user's request" "$(cat err)" 'belongs to another user'
fi
end run.evt
wait "$asker" || fail "second capture: status $?"
expect_match "the second capture" "$(cat second)" 'capture 2: .* until the program ended'
expect_eq "captures" "$(dumped ' capture_begin ')" 2
expect_eq "ends of captures" "$(dumped ' capture_end number=1 how=1| capture_end number=2 how=3')" 2
expect_eq "refused ones" "$(dumped ' capture_refused why=1')" 1
expect_eq "starts" "$(dumped ' capture_start name="trigger" number=[12]')" 2
expect_eq "stops" "$(dumped ' capture_stop name="trigger" number=1')" 1
expect "$OUTPUT" 'summary().totals["captures"] == 2' 'alloc("--by", "size", "--capture", "1").row(size=1024).allocations < alloc("--by", "size").row(size=1024).allocations'
"$REPORT" run.evt | tr '\n' ' ' | grep -Eq ' 2 captures: .*for 300ms' || fail "the summary does not list the captures: $("$REPORT" run.evt)"
refuses 2 'there is no such capture; 2 captures were recorded, 1 to 2' alloc --capture 7 run.evt
((0 < $(dumped ' malloc .* size=1024 '))) || fail "nothing was recorded in the captures"
# what is recorded lies between a start and the stop behind it
"$REPORT" dump run.evt | awk '$3 == "capture_start" { print $1, 0, "start" } $3 == "capture_stop" { print $1, 2, "stop" } $3 == "malloc" { print $1, 1, "malloc" }' |
	sort -n -k 1,1 -k 2,2 | awk '$3 == "start" { open = 1 } $3 == "stop" { open = 0 } $3 == "malloc" && !open { outside++ } END { print outside + 0 }' >outside
expect_eq "allocations outside of captures" "$(cat outside)" 0

refuses 1 "nobody writes 'run.evt' any more" capture run.evt
refuses 1 "there is no process 999999999" capture 999999999
dead=$program
refuses 1 "there is no process $dead|process $dead is not being recorded" capture "$dead"

INTERCEPT_OUTPUT=$PWD/all.evt LD_PRELOAD=$LIB "$PROGRAMS/asked" "$PWD/later" &
collector_of "$PWD/all.evt" >/dev/null || fail "no collector of all.evt"
refuses 1 "was not started with INTERCEPT_CAPTURE=trigger" capture all.evt
touch later
wait $!

# Asked for while the program forks, becomes another program, and ends.
for how in fork exec; do
	start "$how.evt" "$how"
	for _ in 1 2 3; do
		"$REPORT" capture --for 30ms "$program" >>asked 2>&1
	done
	"$REPORT" capture --for 100s "$program" >last 2>&1 &
	asker=$!
	# shellcheck disable=SC2317 # eventually calls it
	begun() { "$REPORT" dump "$how"*.evt 2>/dev/null | grep -q 'for 100s' || ! kill -0 "$asker" 2>/dev/null; }
	eventually "the last capture to begin" begun
	touch stop
	wait "$program" || fail "$how: status $?"
	wait "$asker"
	expect_match "a capture whose program ends" "$(cat last)" 'until the program ended|later one has begun|is not being recorded|has ended'
	written "$how.evt"
	for file in "$how"*.evt; do
		"$REPORT" check "$file" >/dev/null || fail "$file is damaged"
	done
done
exit 0
