#!/bin/bash
# --sort, --limit, --columns, --filter, --process, --thread, --time and --range.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program captured
need_program counts
expect_match "what --help says of conditions" "$("$REPORT" alloc --help; "$REPORT" help)" 'COLUMN!=GLOB'
run_traced "$PROGRAMS/captured" || fail "status $?"
by_size='alloc("--by", "size"'
expect "$OUTPUT" \
	"[r.size for r in $by_size, '--sort', 'size').rows] == sorted(r.size for r in $by_size).rows)" \
	"len($by_size, '--limit', '1').rows) == 1" \
	"$by_size, '--limit', '1').totals.allocations == alloc.totals.allocations" \
	"[c.name for c in $by_size, '--columns', 'bytes_allocated,size').columns] == ['bytes_allocated', 'size']" \
	'nvtx("--range", "outside").row(name="outside").count == 3' \
	'alloc("--by", "size", "--range", "outside").row(size=2048).allocations == 30' \
	'not alloc("--by", "size", "--range", "outside").select(size=1024)' \
	'alloc("--by", "size", "--range", "wanted").row(size=1024).allocations == 30' \
	'not alloc("--by", "size", "--range", "wanted").select(size=2048)' \
	'alloc("--range", "no such range").totals.allocations == 0' \
	'nvtx.row(name="wanted").total_ns >= nvtx.row(name="inner").total_ns' \
	'nvtx.row(name="wanted").self_ns == nvtx.row(name="wanted").total_ns - nvtx.row(name="inner").total_ns' \
	'nvtx.row(name="wanted").bytes_allocated == 30 * 1010' \
	'nvtx.row(name="outside").allocations == 30' \
	'nvtx.row(name="inner").min_ns <= nvtx.row(name="inner").p50_ns <= nvtx.row(name="inner").p99_ns * 1.01' \
	'alloc("--time", "0..0").totals.allocations == 0' \
	'alloc("--time", "0..1000s").totals.allocations == alloc.totals.allocations' \
	'alloc("--filter", "caller==nothing").rows == []'
for wrong in '--range nosuch' '--during nosuch' '--thread 1' '--process 1'; do
	# shellcheck disable=SC2086 # an option and its value
	"$REPORT" alloc $wrong "$OUTPUT" >/dev/null 2>"$PWD/talk" || fail "$wrong: status $?"
	grep -q "^prof-report: ${wrong% *} .* lists them" "$PWD/talk" || fail "$wrong: $(cat talk)"
	for report in ops steps tensors actions; do
		# shellcheck disable=SC2086 # an option and its value
		"$REPORT" $report $wrong "$OUTPUT" 2>&1 >/dev/null | cmp -s - talk || fail "$report $wrong: not what alloc says"
	done
done
"$REPORT" alloc --range wanted "$OUTPUT" 2>&1 >/dev/null | grep . && fail "talk about a range that is there"
rm -f run.evt
run_traced "$PROGRAMS/counts" expected.json 20 2 2 || fail "status $?"
E='load("expected.json")'
expect "$OUTPUT" \
	"all(alloc('--process', str(t.pid)).totals.allocations == t.allocations for t in $E.threads[1:3])" \
	"all(alloc('--thread', str(t.tid)).totals.allocations == t.allocations for t in $E.threads[1:])" \
	"all(len(threads('--thread', str(t.tid)).rows) == 1 for t in $E.threads)" \
	"all(alloc('--process', str(t.pid)).totals.frees_unmatched == 1 for t in $E.threads[1:3])" \
	'sum(alloc("--process", str(r.pid)).totals.bytes_allocated for r in processes.rows) == alloc.totals.bytes_allocated'
end=$(json summary "$OUTPUT" 'totals["wall_ns"]')
half=$((end / 2))
first=$(json alloc "$OUTPUT" 'totals["allocations"]' --time "0..${half}ns") || fail "no --time in ns"
second=$(json alloc "$OUTPUT" 'totals["allocations"]' --time "${half}ns..1000s")
expect_eq "halves together" $((first + second)) "$(json alloc "$OUTPUT" 'totals["allocations"]')"
