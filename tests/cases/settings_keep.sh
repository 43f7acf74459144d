#!/bin/bash
# A finished file of an earlier run is kept under a number; INTERCEPT_KEEP bounds how many.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exits
for count in 1 2 3 4 5; do
	INTERCEPT_KEEP=2 run_traced "$PROGRAMS/exits" return $count || fail "status $?"
	"$REPORT" summary "$OUTPUT" >/dev/null
done
# What is too much goes when the program is gone: the folder is locked meanwhile.
for ((i = 0; i < looks; i++)); do
	[[ -e run.evt.3 ]] || break
	sleep 0.05
done
expect_eq "files" "$(find . -name 'run.evt*' | sort | tr '\n' ' ')" './run.evt ./run.evt.1 ./run.evt.2 '
for pair in run.evt:5 run.evt.1:4 run.evt.2:3; do
	expect "${pair%:*}" "alloc.totals.allocations == ${pair#*:}"
done
# A file that somebody still writes is never touched.
rm -f ./run.evt*
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB sleep 3000 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
eventually "the live file" test -s run.evt
run_traced "$PROGRAMS/exits" return 7 || fail "status $?"
beside=$(find . -name 'run.*.evt')
[[ $beside ]] || fail "no file beside the live one: $(ls)"
expect "$beside" 'sized(4242) == 7'
kill $pid 2>/dev/null
wait $pid 2>/dev/null
[[ -s run.evt ]] || fail "the live file is gone"
# What is no file of ours is not overwritten.
rm -f ./*.evt
echo precious >run.evt
run_traced "$PROGRAMS/exits" return 7 2>err
grep -qs precious run.evt run.evt.1 || fail "a stranger's file was overwritten"
