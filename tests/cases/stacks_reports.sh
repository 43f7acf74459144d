#!/bin/bash
# Reports over native stacks of a real program: sums are those of alloc, stacks are its functions, and graphs can be read.
# SPDX-License-Identifier: MIT
# timeout: 240
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

record() { # OUTPUT: the program ends once the collector knows its modules
	rm -f hold
	mkfifo hold
	OUTPUT=$1 run_traced "$BUILD/programs/stack_leaks" <hold 2>err &
	local program=$!
	exec 3>hold
	eventually "modules of stack_leaks" knows_module "$1" stack_leaks
	echo go >&3
	exec 3>&-
	wait "$program" || fail "stack_leaks: $(cat err)"
}

export INTERCEPT_STACKS=native
record native.evt
total() { json "$1" native.evt "totals['$2']"; }

expect_eq "bytes that leak" "$(total leaks bytes)" "$(total alloc live_bytes)"
expect_eq "blocks that leak" "$(total leaks allocations)" "$(total alloc live_allocations)"
expect_eq "bytes at the peak" "$(total peak bytes)" "$(total alloc peak_bytes)"
expect_eq "bytes of the rows" "$(json leaks native.evt "sum(row['bytes'] for row in rows)")" "$(total leaks bytes)"
expect_eq "rows at the peak" "$(json peak native.evt "sum(row['bytes'] for row in rows)")" "$(total peak bytes)"
expect_eq "value of all stacks" "$(json flame native.evt "sum(row['value'] for row in rows)")" "$(total alloc bytes_allocated)"

# shellcheck disable=SC2094 # its own text is shown
"$REPORT" flame --format folded native.evt >folded || fail "status $?"
grep -qx 'main;train;leaky;load 10000' folded || fail "no way to what leaks: $(cat folded)"
grep -qx 'main;train;fine;load 50000' folded || fail "no way to what is freed: $(cat folded)"
grep -qx "main$(printf ';recurse%.0s' $(seq 21));train;leaky;load 1000" folded || fail "recursion: $(cat folded)"
expect_eq "folded bytes" "$(awk '{ sum += $NF } END { print sum }' folded)" "$(total alloc bytes_allocated)"
"$REPORT" flame --format folded --value live native.evt | grep -q 'fine' && fail "what was freed lives"
"$REPORT" flame --format folded --raw-stacks native.evt | grep -qE '^[^;]*(_start|libc)[^;]*;.*;main;train;leaky;load 10000$' ||
	fail "raw: $("$REPORT" flame --format folded --raw-stacks native.evt)"

expect_eq "frames in JSON" \
	"$(json leaks native.evt "[[frame['function'] for frame in row['stack']] for row in rows if row['allocations'] == 10]")" \
	'[["load", "leaky", "train", "main"]]'
"$REPORT" leaks --stack 2 native.evt >out || fail "status $?"
grep -q '^    leaky (stack_leaks.c:' out || fail "no frames below a row: $(cat out)"
grep -q '^    and 2 more$' out || fail "not how many frames there are: $(cat out)"
expect_eq "a filter on any frame" \
	"$(json leaks native.evt "[(row['function'], row['bytes']) for row in rows]" --by function --filter stack~recurse)" \
	'[["load", 1000]]'
for report in alloc 'alloc --by stack' leaks peak top-down bottom-up flame 'flame --by line' 'top-down --by python'; do
	# shellcheck disable=SC2086 # words
	"$REPORT" $report --filter stack~no_such_function native.evt >out || fail "status $?"
	grep -qx 'no stack meets --filter' out || fail "what $report says of a filter that leaves nothing: $(cat out)"
done
"$REPORT" top-down native.evt >out || fail "status $?"
grep -q '^  recurse (21 times) > train ' out || fail "top-down: $(cat out)"
"$REPORT" bottom-up native.evt >out || fail "status $?"
grep -q '^  fine < train ' out || fail "bottom-up: $(cat out)"

# what was recorded without a stack is not called absent
INTERCEPT_STACKS=caller INTERCEPT_TRACE=+io OUTPUT=io.evt run_traced cat /dev/null || fail "status $?"
for report in flame top-down; do
	"$REPORT" $report --of io io.evt >out || fail "status $?"
	grep -Eq '^(nothing|no stack) of io .* INTERCEPT_STACKS' out || fail "calls without stacks, by $report: $(cat out)"
done
"$REPORT" flame --of cuda io.evt | grep -q '^no CUDA call was seen' || fail "no call of CUDA: $("$REPORT" flame --of cuda io.evt)"

"$REPORT" flame --output flame.svg native.evt || fail "status $?"
python3 -S - <<'END' || fail "the graph is no XML, or lacks a frame"
import xml.etree.ElementTree as tree
svg = tree.parse("flame.svg").getroot()
titles = [node.text for node in svg.iter("{http://www.w3.org/2000/svg}title")]
assert any(title.startswith("leaky (") for title in titles), titles
assert not [value for node in svg.iter() for key, value in node.attrib.items() if key.endswith("href")]
END

"$REPORT" alloc --format svg native.evt >out 2>err && fail "alloc draws"
grep -q "it is of report flame" err || fail "what alloc says of svg: $(cat err)"
"$REPORT" flame --of io native.evt >out || fail "status $?"
grep -q 'INTERCEPT_TRACE=+io' out || fail "why there is no stack of I/O: $(cat out)"

# what rows are by is shown, though all are the same
"$REPORT" alloc --by module --filter stack~train native.evt >out || fail "status $?"
grep -q '^module  *allocs' out || fail "rows by module do not show it: $(cat out)"
grep -q '^stack_leaks ' out || fail "no row of the module: $(cat out)"

# without stacks a stack is the caller, and a line says how to have more
export INTERCEPT_STACKS=caller
record caller.evt
expect_eq "callers" "$(json leaks caller.evt "[(row['function'], row['bytes'], len(row['stack'])) for row in rows]" --filter stack~load)" \
	'[["load", 11000, 1]]'
"$REPORT" leaks caller.evt | tr '\n' ' ' | grep -q 'INTERCEPT_STACKS=native' || fail "not how to have stacks"
