#!/bin/bash
# INTERCEPT_STACKS_EVERY: a sample of the allocations has stacks; counts stay exact, and estimates stand in columns of their own.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program stack_shares
near() { # WHAT VALUE TRUTH: half of it off is 20 times what chance does to a sample of more than 1000
	if [ "$2" -le $(($3 / 2)) ] || [ "$2" -ge $(($3 * 3 / 2)) ]; then
		fail "$1: $2, expected about $3"
	fi
}
of() { # REPORT ROW KEY
	json "$1" "$OUTPUT" "row(function=\"$2\")[\"$3\"]" --by stack
}

INTERCEPT_STACKS=native INTERCEPT_STACKS_EVERY=2K run_traced "$PROGRAMS/stack_shares" || fail "status $?"
expect_eq "allocations, counted" "$(json alloc "$OUTPUT" 'totals["allocations"]' --by stack)" 105500
expect_eq "live, counted" "$(json leaks "$OUTPUT" 'totals["bytes"]')" 10000000
expect_eq "counts by caller" "$(json alloc "$OUTPUT" 'sorted(r["allocations"] for r in rows)')" "[500, 1000, 4000, 100000]"
near "bytes of large()" "$(of alloc large estimated_bytes)" 40000000
near "blocks of large()" "$(of alloc large estimated_allocations)" 4000
near "bytes of small()" "$(of alloc small estimated_bytes)" 10000000
near "blocks of small()" "$(of alloc small estimated_allocations)" 100000
near "live bytes of kept()" "$(of leaks kept estimated_bytes)" 10000000
near "peak of kept()" "$(of peak kept estimated_bytes)" 10000000
near "folded bytes of kept()" "$("$REPORT" flame --value live --format folded "$OUTPUT" | sed -n 's/.*;kept //p')" 10000000
# an estimate is in no column of counts
expect_eq "counts in rows of estimates" \
	"$(json alloc "$OUTPUT" '[r[k] for r in rows for k in ("allocations", "bytes_allocated", "live_bytes", "peak_bytes") if r[k] is not None]' --by stack)" "[]"
for report in "alloc --by function" leaks peak; do
	# shellcheck disable=SC2086 # a report and its options
	"$REPORT" $report "$OUTPUT" >out.txt || fail "$report: status $?"
	grep -q '~bytes' out.txt || fail "$report shows no estimates: $(cat out.txt)"
	grep -q ' allocs\| bytes ' out.txt && fail "$report shows counts beside estimates: $(cat out.txt)"
	tr '\n' ' ' <out.txt | grep -q 'columns with ~ are estimates: one allocation in 2.00 KiB has its stack' ||
		fail "$report does not say what ~ means: $(cat out.txt)"
done
"$REPORT" alloc "$OUTPUT" | grep -q '~' && fail "estimates of callers, which are counted"
"$REPORT" flame "$OUTPUT" | grep -q 'estimated from a sample' || fail "flame does not say that it estimates"

"$REPORT" alloc --by stack "$OUTPUT" | tr '\n' ' ' | grep -q 'stacks: [0-9.]* % of 105,500 allocations have one, none is cut' ||
	fail "not said how many allocations have stacks"
INTERCEPT_STACKS=native INTERCEPT_STACKS_DEPTH=1 run_traced "$PROGRAMS/stack_shares" || fail "status $?"
expect_eq "allocations with a stack, and of these cut" \
	"$(json leaks "$OUTPUT" '[totals[k] for k in ("stacked_allocations", "cut_stacks")]')" "[105500, 105500]"

# callers only: nothing is a sample
INTERCEPT_STACKS_EVERY=2K run_traced "$PROGRAMS/stack_shares" || fail "status $?"
expect_eq "bytes by callers" "$(json alloc "$OUTPUT" 'sum(r["bytes_allocated"] for r in rows)')" 60000000
"$REPORT" dump "$OUTPUT" | grep -q stacks_every && fail "a recording without stacks says that they are a sample"
# a sample has no least size
INTERCEPT_STACKS=native INTERCEPT_STACKS_MIN=1M INTERCEPT_STACKS_EVERY=4K run_traced "$PROGRAMS/stack_shares" 2>err.txt || fail "status $?"
grep -q 'STACKS_MIN and INTERCEPT_STACKS_EVERY are both set' err.txt || fail "nothing said of both: $(cat err.txt)"
near "bytes of small(), with both" "$(of alloc small estimated_bytes)" 10000000
