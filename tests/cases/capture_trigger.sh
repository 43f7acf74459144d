#!/bin/bash
# INTERCEPT_TRIGGER: a file of requests that is followed when it changes, unless others may write to it; by four ranks, which record the same steps; rules in the setting itself.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program asked
need_program timed_work
dumped() { # FILE REGEX
	"$REPORT" dump "$1" 2>/dev/null | grep -Ec "$2"
}
begun() { # FILE REGEX
	(($(dumped "$1" "$2") > 0))
}
ask() { # TEXT: as a whole
	(umask 077 && echo "$1" >new) && mv new trigger
}

ask 'now for 600s; unreadable # from an earlier run'
INTERCEPT_TRIGGER=$PWD/trigger INTERCEPT_OUTPUT=$PWD/file.evt LD_PRELOAD=$LIB "$PROGRAMS/asked" "$PWD/stop" &
program=$!
trap 'touch "$PWD/stop" "$PWD/go"; wait' EXIT
collector_of "$PWD/file.evt" >/dev/null || fail "no collector"
# it has read the file as it was at the start
eventually "the first look" begun file.evt "capture_refused why=2 .*'unreadable' is not"
ask 'now for 200ms ranks 0'
ask 'now for 100ms'
eventually "the capture to begin" begun file.evt 'capture_end number=1 how=1'
ask 'now for 300s'
chmod 666 trigger
eventually "a file that others may write to be refused" begun file.evt 'capture_refused why=2 .*others may write|capture_begin number=2'
touch stop
wait "$program" || fail "asked: status $?"
written file.evt
expect_eq "what was in the file before" "$(dumped file.evt 'for 600s')" 0
expect_eq "requests for other ranks" "$(dumped file.evt 'ranks 0')" 0
begun file.evt ' malloc .* size=1024 ' || fail "nothing was recorded"

rm -f stop
INTERCEPT_TRIGGER='when rss > 1K for 100ms; nonsense' INTERCEPT_OUTPUT=$PWD/rule.evt LD_PRELOAD=$LIB "$PROGRAMS/asked" "$PWD/stop" &
program=$!
eventually "the rule to begin a capture" begun rule.evt 'capture_begin number=1 from=3 request="when rss > 1K for 100ms"'
touch stop
wait "$program" || fail "asked: status $?"
written rule.evt
expect_eq "what cannot be read" "$(dumped rule.evt "capture_refused why=2 request=\"'nonsense' is not now, steps or when\"")" 1

# One file for four ranks: those that are named record the same steps. Each waits in step 30 until all have read it.
ask 'steps 35..36 ranks 0,2..3; unreadable'
for rank in 0 1 2 3; do
	RANK=$rank WORLD_SIZE=4 INTERCEPT_STEP=step INTERCEPT_TRIGGER=$PWD/trigger INTERCEPT_OUTPUT=$PWD/rank$rank.evt LD_PRELOAD=$LIB \
		"$PROGRAMS/timed_work" 1 "$PWD/go" >/dev/null &
done
for rank in 0 1 2 3; do
	eventually "the look of rank $rank" begun rank$rank.evt "capture_refused why=2 .*'unreadable' is not"
done
touch go
wait
for rank in 0 1 2 3; do
	written rank$rank.evt
	expected="35 36"
	[[ $rank != 1 ]] || expected=""
	expect_eq "steps of rank $rank" "$("$REPORT" steps rank$rank.evt --sort step:asc --columns step --format csv 2>/dev/null | sed 1d | xargs)" "$expected"
done
exit 0
