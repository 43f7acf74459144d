#!/bin/bash
# Functions whose names differ never share a row, however short the names are shown.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program namesakes
sizes='[100000, 200000, 300000, 400000, 500000]'
for stacks in caller native; do
	rm -f run.evt
	INTERCEPT_STACKS=$stacks run_traced "$PROGRAMS/namesakes" || fail "namesakes: status $?"
	written run.evt
	for names in full short mangled; do
		expect_eq "rows by function, $stacks, --names $names" \
			"$(json alloc run.evt 'sorted(r["bytes_allocated"] for r in rows if r["bytes_allocated"] >= 100000)' --by function --names $names)" "$sizes"
		expect_eq "different names of them, $stacks, --names $names" \
			"$(json alloc run.evt 'len(set(r["function"] for r in rows if r["bytes_allocated"] >= 100000))' --by function --names $names)" 5
	done
	"$REPORT" alloc --by function run.evt >table
	for name in 'made<double (long)>::by' 'made<char (long)>::by' 'made<void (long)>::by' 'overloaded(int)' 'overloaded(long)'; do
		grep -qF "$name " table || fail "$stacks: the table has no row '$name': $(cat table)"
	done
done
"$REPORT" export folded --value live run.evt -o live.folded || fail "export: status $?"
expect_eq "folded stacks" "$(grep -cE '(made<.*>::by|overloaded)' live.folded)" 5
expect_eq "names in folded stacks" "$(sed -E 's/ [0-9]+$//' live.folded | grep -E '(made<.*>::by|overloaded)' | sort -u | wc -l)" 5
# So it is in whatever goes by functions: trees, flame graphs, what lives, and files for other programs.
for report in leaks peak 'alloc --by stack' top-down bottom-up flame; do
	# shellcheck disable=SC2086 # words
	expect_eq "names in $report" "$("$REPORT" $report --limit 0 run.evt | grep -oE 'made<[a-z]+[ _]\(long\)>::by|overloaded\([a-z]+\)' | sort -u | wc -l)" 5
done
for format in speedscope pprof callgrind stacks; do
	"$REPORT" export $format run.evt -o "run.$format" 2>err || fail "export $format: $(cat err)"
	expect_eq "names in export $format" "$(python3 -S -c 'import gzip, re, sys
data = open(sys.argv[1], "rb").read()
data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
print(len(set(re.findall(rb"made<[a-z]+[ _]\(long\)>::by|overloaded\([a-z]+\)", data))))' "run.$format")" 5
done
"$REPORT" export massif run.evt -o run.massif 2>err || fail "export massif: $(cat err)"
expect_eq "places in massif" "$(grep -oE '(made<.*>::by|overloaded) \(.*namesakes.cpp:[0-9]+\)' run.massif | sort -u | wc -l)" 5
"$REPORT" page run.evt -o page.html 2>err || fail "page: $(cat err)"
PYTHONPATH=$ROOT/tests python3 - <<'END' || fail "names in the page"
import re
import page_pieces
names = r"made<[a-z]+ \(long\)>::by|overloaded\([a-z]+\)"
parts = {piece: set(re.findall(names, str(data))) for piece, data in page_pieces.pieces("page.html").items()}
wanted = ["table-alloc", "table-leaks", "table-peak", "flame-alloc-bytes", "flame-alloc-live", "layers-heap-function"]
assert all(len(parts[piece]) == 5 for piece in wanted), parts
END
