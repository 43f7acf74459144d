#!/bin/bash
# Recordings of two sessions named together are shown one after the other, in each format, and never added up.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program heap_calls
for count in 100 200; do
	INTERCEPT_OUTPUT=c$count.evt LD_PRELOAD=$LIB "$PROGRAMS/heap_calls" $count || fail "status $?"
done
report() { # ARGUMENT...
	"$REPORT" "$@" c100.evt c200.evt >out 2>err || fail "status $? of $*: $(cat err)"
	expect_eq "what is said with $*" "$(cat err)" 'prof-report: 2 sessions: each is shown for itself'
}
events() { # FILE
	json summary "$1" 'totals["events"]'
}
first=$(events c100.evt)
second=$(events c200.evt)
((second >= first + 100)) || fail "the second has no more: $first $second"
report processes
expect_eq "headings" "$(grep '^==>' out | tr '\n' ' ')" '==> c100.evt ==> c200.evt '
report processes --format csv --columns pid,events
expect_match "csv" "$(tr '\n' ' ' <out)" "^file,pid,events c100.evt,[0-9]+,$first c200.evt,[0-9]+,$second $"
report summary --format json
expect_eq "json" "$(python3 -S -c "import json; print([(d['files'][0]['path'], d['totals']['events']) for d in json.load(open('out'))])")" \
	"[('c100.evt', $first), ('c200.evt', $second)]"
report alloc --format markdown --output table.md
expect_eq "markdown" "$(grep '^## ' table.md | tr '\n' ' ')" '## c100.evt ## c200.evt '
report alloc --by size -n 2
# One that cannot be read is a fault, and no session of its own.
echo nothing >bad.evt
"$REPORT" processes bad.evt c100.evt c200.evt >out 2>err
expect_eq "status with a bad file" $? 1
expect_eq "headings with a bad file" "$(grep '^==>' out | tr '\n' ' ')" '==> c100.evt ==> c200.evt '
"$REPORT" processes bad.evt c100.evt >out 2>err
expect_eq "status with a bad file beside one" $? 1
! grep '^==>' out || fail "a heading for one session"
# A recording is not written over.
cp c200.evt before
"$REPORT" processes -o c200.evt c100.evt c200.evt >out 2>err
expect_eq "status of an output that is a recording" $? 1
cmp before c200.evt || fail "a recording was written over"
"$REPORT" processes --columns nothing c100.evt c200.evt >out 2>err
expect_eq "status of a wrong column" $? 2
expect_eq "lines about a wrong column" "$(grep -c 'has no column' err)" 1
