#!/bin/bash
# INTERCEPT_KEEP_LAST and rules of INTERCEPT_TRIGGER: what is kept is copied into a file of its own when a rule fires, once, and is said.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program timed_work
need_program confine
need_tool zstd
"$PROGRAMS/confine" eperm fallocate true || skip "no seccomp here"
export INTERCEPT_STEP=step INTERCEPT_KEEP_LAST=10m

# The step that waits for a file is longer than the rule allows: it comes to its end when the copy is there.
has_copy() { # NAME
	[[ -e $1 ]] && "$REPORT" check "$1" >/dev/null 2>&1
}
INTERCEPT_TRIGGER='when step > 50 * p50; when no step for 24h' INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB \
	"$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err &
program=$!
trap 'touch "$PWD/go"; wait' EXIT
eventually "the copy" has_copy run.kept-1.evt
touch go
wait $program || fail "status $?: $(cat err)"
written
expect_silence err
[[ $(stat -c %s "$OUTPUT") -gt 0 ]] || fail "no recording"
zstd -tq run.kept-1.evt || fail "the copy is no valid zstd stream"
# the recording has all 41 steps; the copy ends within the long one, and is no part of the recording
expect_eq "steps of the recording" "$(json steps "$OUTPUT" 'totals["steps"]')" 41
expect_between "steps of the copy" "$(json steps run.kept-1.evt 'totals["steps"]')" 20 31
expect_eq "events lost by the copy" "$(json summary run.kept-1.evt 'totals["events_lost"]')" 0
expect_eq "blocks of the recording" "$("$REPORT" dump "$OUTPUT" | grep -c ' malloc .* size=4321')" "$(cat out)"
expect_match "the summary" "$("$REPORT" summary "$OUTPUT" | tr -s '\n ' ' ')" \
	'Kept by a rule: run\.kept-1\.evt \([^)]* to [^)]*, when step > 50 \* p50\)'
expect_match "the copy's summary" "$("$REPORT" summary run.kept-1.evt | tr -s '\n ' ' ')" ' had run .* A rule copied the recording at that moment\.'
expect_match "watch" "$("$REPORT" watch "$OUTPUT" 2>&1 | tr -s '\n ' ' ')" 'Kept by a rule: run\.kept-1\.evt'
expect_match "the dump" "$("$REPORT" dump "$OUTPUT" | grep window_kept)" 'number=1 request="when step > 50 \* p50" file="run.kept-1.evt" .*error=0'

# A file that is there is not replaced, and there are at most 16.
rm go
mkdir full && for number in {1..16}; do echo mine >"full/run.kept-$number.evt"; done
INTERCEPT_TRIGGER='when rss > 1K' INTERCEPT_OUTPUT=$PWD/full/run.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err &
program=$!
has_refused() {
	"$REPORT" dump full/run.evt 2>/dev/null | grep -q ' window_kept .*error=17'
}
eventually "the refusal" has_refused
touch go
wait $program || fail "status $?: $(cat err)"
written full/run.evt
for number in {1..16}; do expect_eq "file $number" "$(cat "full/run.kept-$number.evt")" mine; done
expect_eq "files beside" "$(find full -type f | wc -l)" 17
expect_match "what is said" "$("$REPORT" summary full/run.evt | tr -s '\n ' ' ')" 'could not be kept: there are 16 such files already'

# kill -9 of the program while the copy is made, or just after: the copy is whole all the same.
rm -f go
mkdir killed
INTERCEPT_TRIGGER='when step > 50 * p50' INTERCEPT_OUTPUT=$PWD/killed/run.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err &
program=$!
eventually "the begin of a copy" test -e killed/run.kept-1.evt
kill -9 $program
wait $program 2>/dev/null
written killed/run.evt
"$REPORT" check killed/run.kept-1.evt >check.out || fail "the copy: $(cat check.out)"
expect_eq "the copy is said" "$("$REPORT" dump killed/run.evt | grep -c 'window_kept .*error=0')" 1

# Two rules that hold at the same moment share a copy, which is said to be of both.
rm -f go
mkdir both
INTERCEPT_TRIGGER='when rss > 1K; when rss > 2K' INTERCEPT_OUTPUT=$PWD/both/run.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err &
program=$!
eventually "the copy of both" has_copy both/run.kept-1.evt
touch go
wait $program || fail "status $?: $(cat err)"
written both/run.evt
expect_eq "copies" "$("$REPORT" dump both/run.evt | grep window_kept | head -1 | sed 's/.*\(request="[^"]*"\).*/\1/')" 'request="when rss > 1K; when rss > 2K"'

# A disk without room for a copy: none is begun, and the recording is whole.
cat >inner.sh <<'END'
. "$ROOT/tests/lib.sh"
mount -t tmpfs -o size=900k none small || exit 77
rm -f go
INTERCEPT_TRIGGER='when rss > 1K' INTERCEPT_OUTPUT=$PWD/small/run.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err &
program=$!
trap 'touch go; wait' EXIT
refuses_copy() {
	"$REPORT" dump small/run.evt 2>/dev/null | grep -q ' window_kept .*error=28'
}
eventually "the refusal" refuses_copy
touch go
wait $program || fail "status $?: $(cat err)"
written small/run.evt
expect_eq "files" "$(ls small)" run.evt
expect_eq "events lost" "$(json summary small/run.evt 'totals["events_lost"]')" 0
expect_match "what is said" "$("$REPORT" summary small/run.evt | tr -s '\n ' ' ')" 'could not be kept: No space left on device'
END
mkdir small
if [[ $(id -u) == 0 ]] && unshare -m true 2>/dev/null; then
	unshare -m bash inner.sh >inner.out 2>&1
	status=$?
	[[ $status == 0 || $status == 77 ]] || fail "a disk without room: $(cat inner.out)"
fi

# A rule alone starts captures, as before; a bad rule is refused and named.
INTERCEPT_TRIGGER='when step > 50 * p49' INTERCEPT_OUTPUT=$PWD/bad.evt LD_PRELOAD=$LIB "$PROGRAMS/timed_work" 1 "$PWD/go" >out 2>err ||
	fail "status $?"
written bad.evt
expect_match "a bad rule" "$("$REPORT" dump bad.evt | grep capture_refused)" "'p49' is not p50"
