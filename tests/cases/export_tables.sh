#!/bin/bash
# export csv and json: a folder of files that are byte by byte what each report prints; export massif: ms_print reads it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
reports=$("$REPORT" --list | awk '{ print $1 }' | grep -vxE "$no_tables")
same() { # FILE FORMAT: all reports
	rm -rf folder
	"$REPORT" export "$2" "$1" -o folder 2>err
	status=$?
	for report in $reports; do
		"$REPORT" "$report" -f "$2" "$1" >alone 2>/dev/null
		cmp alone "folder/$report.$2" || fail "$report of $1 is not what the report prints as $2"
	done
}
for file in "$ROOT"/tests/golden/{,events/}*.evt; do
	same "$file" json
	"$REPORT" threads "$file" >/dev/null 2>&1
	wanted=$?
	expect_eq "status of export json of $file ($(cat err))" $status $wanted
done
same "$ROOT/tests/truth/recordings/good_workers.evt" csv
expect_eq "status" $status 0
expect_match "what is said" "$(cat err)" "'folder': [0-9]+ files, "
expect_eq "losses" "$(cat folder/losses.csv)" 'process,count,reason,from_ns,to_ns'
"$REPORT" export csv "$ROOT/tests/golden/cut.evt" -o cut 2>err && fail "a cut file exports as if it were whole"
expect_eq "faults" "$(wc -l <cut/faults.csv)" "$(($(json threads "$ROOT/tests/golden/cut.evt" 'len(doc["faults"])') + 1))"

# --step and other filters hold; what cannot be is one line.
"$REPORT" export json --step 3..5 "$ROOT/tests/truth/recordings/good.evt" -o steps 2>err || fail "$(cat err)"
expect_eq "steps" "$(python3 -S -c 'import json; print(len(json.load(open("steps/steps.json"))["rows"]))')" 3
: >a_file
refuses 2 '^prof-report: ' export csv "$ROOT/tests/golden/counts.evt"
refuses 1 '^prof-report: ' export csv "$ROOT/tests/golden/counts.evt" -o a_file
refuses 2 '^prof-report: ' export csv --value peak "$ROOT/tests/golden/counts.evt" -o folder
refuses 2 '^prof-report: ' export json "$ROOT/tests/golden/counts.evt" -o nowhere/folder
refuses 1 '^prof-report: ' export json a_file -o folder

# massif: the peak is the heap's, the trees add up, ms_print has the same numbers
need_program stack_leaks
INTERCEPT_STACKS=native run_traced "$PROGRAMS/stack_leaks" >out 2>err || fail "$(cat err)"
"$REPORT" export massif "$OUTPUT" -o massif.out 2>err || fail "massif: $(cat err)"
peak=$(json alloc "$OUTPUT" 'totals["peak_bytes"]') live=$(json alloc "$OUTPUT" 'totals["live_bytes"]')
python3 -S - "$peak" "$live" <<'END' || fail "massif is not the heap"
import re, sys
peak, live = map(int, sys.argv[1:])
times, trees, tree = [], [], None
for line in open("massif.out"):
    if line.startswith("time="):
        times.append(int(line[5:]))
    elif line.startswith("mem_heap_B="):
        assert int(line[11:]) <= peak
    elif line.startswith("heap_tree="):
        tree = []
        if line != "heap_tree=empty\n":
            trees.append((line.strip(), tree))
    elif match := re.fullmatch(r"( *)n(\d+): (\d+) (.+)\n", line):
        tree.append((len(match[1]), int(match[2]), int(match[3]), match[4]))
assert times == sorted(times)
assert [kind for kind, _ in trees] == ["heap_tree=peak", "heap_tree=detailed"]
def check(lines, at, depth):  # returns what is behind the node
    level, children, total, _ = lines[at]
    assert level == depth, lines[at]
    found, here = 0, at + 1
    for _ in range(children):
        found += lines[here][2]
        here = check(lines, here, depth + 1)
    assert not children or found == total, (lines[at], found)
    return here
for (_, lines), whole in zip(trees, (peak, live)):
    assert lines[0][2] == whole > 0, (lines[0], whole)
    assert check(lines, 0, 0) == len(lines)
    assert max(line[0] for line in lines) > 1, "no stack has two frames"
END
refuses 2 '^prof-report: ' export massif --value live "$OUTPUT" -o x
refuses 2 '^prof-report: ' export massif --of cuda "$OUTPUT" -o x
refuses 1 '^prof-report: ' export massif "$ROOT/tests/truth/recordings/good.evt" -o x # no heap was recorded
command -v ms_print >/dev/null || skip "no ms_print (valgrind); all else passed"
ms_print massif.out >printed || fail "ms_print: status $?"
grep -q "$(sed ':a; s/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/; ta' <<<"$peak")" printed || fail "ms_print does not show the peak of $peak"
grep -q '^->.*(.*B)' printed || fail "ms_print shows no tree"
