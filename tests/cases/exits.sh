#!/bin/bash
# Every way for a process to end: the same exit status as without us, everything counted, the status known.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exits
ulimit -c 0
try() { # HOW EXPECTED-STATUS BLOCKS
	rm -f run.evt
	"$PROGRAMS/exits" "$1" 50 2>/dev/null
	expect_eq "status of '$1' without us" $? "$2"
	run_traced "$PROGRAMS/exits" "$1" 50 2>err
	expect_eq "status of '$1'" $? "$2"
	expect_eq "standard error of '$1'" "$(grep -c '^intercept:' err)" 0
	# Killed in its first milliseconds: the collector has yet to make the file.
	eventually "the file of '$1'" test -s "$OUTPUT"
	expect "$OUTPUT" "sized(4242) == $3" \
		"ended(processes.rows[0], $2)" 'summary.totals.events_lost == 0'
	"$REPORT" check "$OUTPUT" >check.out || fail "check of '$1': $(cat check.out)"
}
{
	try return 0 50
	try exit 3 50
	try _exit 4 50
	try _Exit 5 50
	try quick_exit 6 100
	try atexit 7 100
	try abort 134 50
	try segv 139 50
	try sigterm 143 50
	try sigkill 137 50
	try thread-exit 8 100
	try pthread_exit 0 100
	try pthread_exit-_exit 9 100
} 2>&1 | grep -v -e Killed -e Terminated -e Aborted -e 'Segmentation fault'
exit "${PIPESTATUS[0]}"
