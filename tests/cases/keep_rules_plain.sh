#!/bin/bash
# Rules of INTERCEPT_TRIGGER in programs without steps keep what led to it; a pause counts from the begin on, once; a capture by rule has the GPU's work.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program timed_work
need_program cuda_steady
need_program confine
"$PROGRAMS/confine" eperm fallocate true || skip "no seccomp here"

has_copy() { # NAME
	[[ -e $1 ]] && "$REPORT" check "$1" >/dev/null 2>&1
}
has_event() { # FILE REGEX
	"$REPORT" dump "$1" 2>/dev/null | grep -q "$2"
}

# No range ends a step: the rules hold all the same, each once.
for rule in 'when no step for 1s' 'when rss > 1K for 1000s'; do
	rm -rf go kept && mkdir kept
	INTERCEPT_KEEP_LAST=10m INTERCEPT_TRIGGER=$rule INTERCEPT_OUTPUT=$PWD/kept/run.evt LD_PRELOAD=$LIB \
		"$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err &
	program=$!
	trap 'touch "$PWD/go"; wait' EXIT
	eventually "the copy, $rule" has_copy kept/run.kept-1.evt
	sleep 2 # longer than the rule's pause: it goes on, and no second copy is made of it
	touch go
	wait $program || fail "status $?: $(cat err)"
	written kept/run.evt
	expect_silence err "$rule"
	expect_eq "files, $rule" "$(cd kept && echo *)" 'run.evt run.kept-1.evt'
	expect_eq "steps, $rule" "$(json summary kept/run.evt 'totals["steps"]')" 0
	expect_match "the dump, $rule" "$("$REPORT" dump kept/run.evt | grep window_kept)" "request=\"$rule\" file=\"run.kept-1.evt\" .*error=0"
	expect_match "the summary, $rule" "$("$REPORT" summary kept/run.evt | tr -s '\n ' ' ')" 'Kept by a rule: run\.kept-1\.evt'
	expect_eq "blocks, $rule" "$("$REPORT" dump kept/run.evt | grep -c ' malloc .* size=4321')" "$(cat out)"
	expect_between "blocks of the copy, $rule" "$("$REPORT" dump kept/run.kept-1.evt | grep -c ' malloc .* size=4321')" 0 "$(cat out)"
	expect_eq "lost by the copy, $rule" "$(json summary kept/run.kept-1.evt 'totals["events_lost"]')" 0
done

# A capture that a rule starts, over the fake driver: as many kernels as launches.
rm -f go
INTERCEPT_TRIGGER='when no step for 1s for 1s' run_traced "$PROGRAMS/cuda_steady" 1 "$PWD/go" >out 2>err &
program=$!
trap 'touch "$PWD/go"; wait' EXIT
eventually "the capture" has_event "$OUTPUT" ' capture_end '
touch go
wait $program || fail "status $?: $(cat err)"
written
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
expect_eq "captures" "$(json summary "$OUTPUT" 'totals["captures"]')" 1
expect_match "its rule" "$("$REPORT" dump "$OUTPUT" | grep ' capture_begin ')" 'request="when no step for 1s for 1s"'
launches=$(json launches "$OUTPUT" 'totals["calls"]')
((launches > 0)) || fail "no launch in the capture"
expect_eq "each launch has its kernel" "$(json kernels "$OUTPUT" 'totals["calls"]')" "$launches"
