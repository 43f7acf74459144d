#!/bin/bash
# A test that fails among others and passes alone failed by chance, and is named; what fails twice has failed.
# SPDX-License-Identifier: MIT
# More tests than --alone allows have failed, too.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cases=tree/tests/cases
mkdir -p $cases tree/tests/{unit,fuzz} tree/build tree/collector/region
cp "$ROOT"/tests/{run,suites.sh,invariants.py} tree/tests/
cp "$ROOT/collector/region/ranks.def" tree/collector/region/
: >tree/tests/seconds.txt
echo 'exit 0' >$cases/passes.sh
for name in once again; do
	echo "[[ ! -e $PWD/$name ]] && echo the first time && touch $PWD/$name && exit 1; exit 0" >$cases/$name.sh
done
echo 'exit 1' >$cases/never.sh

suite() { # STATUS LAST-LINE ARGUMENT...: runs the suite of the tree from its beginning
	local wanted=$1 line=$2 status=0
	rm -f once again
	O=build tree/tests/run "${@:3}" >out 2>&1 || status=$?
	expect_eq "status of '${*:3}'" $status "$wanted"
	expect_eq "last line of '${*:3}'" "$(tail -n 1 out)" "$line"
}

suite 0 '2 passed, 0 failed, 0 skipped' --alone 3 passes once
expect_match "who failed by chance" "$(cat out)" 'passed alone, by chance, which is a defect: once'
expect_match "its first output" "$(cat out)" 'the first time'
suite 1 '2 passed, 1 failed, 0 skipped' --alone 3 passes once never
expect_match "who failed" "$(cat out)" 'failed: never'
suite 1 '1 passed, 2 failed, 0 skipped' --alone 1 passes once again
! grep -q AGAIN out || fail "more failed than are run again: $(cat out)"
suite 1 '1 passed, 1 failed, 0 skipped' passes once
suite 2 "run: --alone 'x': a number of tests is wanted" --alone x passes
