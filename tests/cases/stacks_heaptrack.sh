#!/bin/bash
# Allocations, leaked bytes and bytes at the peak are heaptrack's, stack by stack, on programs that do the same each time.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

command -v heaptrack >/dev/null || fail "no heaptrack: run scripts/install-deps.sh"

# what heaptrack wrote: "main (file.c);name (file.c); VALUE"; those of the C library's start are its own, and nothing is no stack
theirs() {
	sed -E 's/ \([^;]*\);/;/g; s/; ([0-9]+)$/ \1/' "$1" | grep '^main[; ]' | grep -v ' 0$' | sort
}
ours() {
	"$REPORT" flame --value "$1" --format folded "$OUTPUT" | grep '^main[; ]' | sort
}

for program in stack_shares stack_leaks; do
	need_program $program
	heaptrack -o judge "$PROGRAMS/$program" >heaptrack.txt 2>&1 || fail "heaptrack: $(tail -n 3 heaptrack.txt)"
	INTERCEPT_STACKS=native run_traced "$PROGRAMS/$program" >/dev/null || fail "status $?"
	for pair in calls:allocations live:leaked peak:peak; do
		heaptrack_print -f judge.* -F folded --flamegraph-cost-type "${pair#*:}" >/dev/null 2>&1 || fail "heaptrack_print: status $?"
		theirs folded >theirs.txt
		ours "${pair%:*}" >ours.txt
		[ -s theirs.txt ] || fail "heaptrack has no stack of $program: $(cat folded)"
		diff theirs.txt ours.txt >diff.txt || fail "$program, $pair, heaptrack's and ours: $(cat diff.txt)"
	done
	rm -f judge.*
done
