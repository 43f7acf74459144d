#!/bin/bash
# Wrong options of prof-report: one line that names them, exit status 2, nothing on standard output.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
run_traced "$PROGRAMS/empty" || fail "status $?"
try() { # ARGUMENT...
	"$REPORT" "$@" >out 2>err
	expect_eq "exit status of prof-report $*" $? 2
	expect_eq "output of prof-report $*" "$(cat out)" ''
	expect_eq "lines of prof-report $* ($(cat err))" "$(wc -l <err)" 1
	expect_match "line of prof-report $*" "$(cat err)" '^prof-report: '
}
try --no-such-option run.evt
try aloc run.evt
try -Z run.evt
try alloc --sort nonsense run.evt
try alloc --columns allocations,nonsense run.evt
try alloc --format xml run.evt
try alloc --limit many run.evt
try alloc --limit -3 run.evt
try alloc --limit
try alloc --by colour run.evt
try alloc --by kernel run.evt
try launches --by caller run.evt
try memcpy --by kernel run.evt
try nvtx --by caller run.evt
try nvtx --names short run.evt
try launches --names long run.evt
try alloc --process me run.evt
try alloc --thread x run.evt
try alloc --time 5 run.evt
try alloc --time x..y run.evt
try alloc --time 9s..1s run.evt
try alloc --filter nonsense==3 run.evt
try alloc --filter '' run.evt
try alloc --output /no/such/directory/x run.evt
"$REPORT" --help >out 2>err || fail "--help: status $?"
grep -q -- --sort out || fail "--help is not on standard output"
expect_eq "standard error of --help" "$(cat err)" ''
"$REPORT" --version >out 2>err || fail "--version: status $?"
expect_match "--version" "$(cat out)" '^prof-report [0-9]+\.[0-9]+'
"$REPORT" --list >out 2>err || fail "--list: status $?"
for report in $(awk '{ print $1 }' out); do
	"$REPORT" "$report" --help >help 2>err || fail "$report --help: status $?"
	grep -q "^prof-report $report: " help || fail "--help of $report: $(head -n 1 help)"
	try "$report" --no-such-option run.evt
done
# no FILE: run.evt
"$REPORT" alloc >out 2>err || fail "alloc without a file: status $?"
mv run.evt other.evt
"$REPORT" >out 2>err
expect_eq "status without any file" $? 1
expect_match "line without any file" "$(cat err)" "^prof-report: .*'run.evt'"
