#!/bin/bash
# Missing, empty, foreign and newer files: one line that says which, status 1, nothing else.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exits
run_traced "$PROGRAMS/exits" return 20 || fail "status $?"
try() { # FILE WORDS
	local report
	for report in summary alloc nvtx threads processes dump check; do
		timeout 600 "$REPORT" $report "$1" >out 2>err
		expect_eq "exit status of $report $1" $? 1
		expect_between "lines of $report $1 ($(cat err))" "$(wc -l <err)" 1 1
		expect_match "line of $report $1" "$(cat err)" "^prof-report: .*$1.*($2)"
	done
}
: >empty.evt
head -c 5000 "$REPORT" >foreign.evt
head -c 3 "$OUTPUT" >three.evt
yes | head -c 100000 >text.evt
zstd -q <"$REPORT" >plain.evt 2>/dev/null
head -c 20000 /dev/zero >zero.evt
mkdir directory.evt
need_program newer
"$PROGRAMS/newer" <"$OUTPUT" >newer.evt || fail "cannot make a newer file"
try missing.evt 'does not exist: name a recording'
try empty.evt 'empty'
try foreign.evt 'not '
try text.evt 'not '
try zero.evt 'not '
[[ -s plain.evt ]] && try plain.evt 'not '
try three.evt 'end|short|truncated|not '
try newer.evt 'version 2|newer'
try directory.evt 'directory|regular'
try /dev/null 'empty|regular|not '
if [[ $(id -u) != 0 ]]; then
	cp "$OUTPUT" secret.evt
	chmod 0 secret.evt
	try secret.evt 'ermission'
fi
