#!/bin/bash
# prof-report diff: rows joined, changes and noise, --against, --fail-if; runs that differ in kind, damage, wrong words.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

recordings=$ROOT/tests/truth/recordings golden=$ROOT/tests/golden
good=$recordings/good.evt adam=$recordings/good_adam.evt

diff_of() { # STATUS ARGUMENT...: out and err
	local wanted=$1 status
	shift
	"$REPORT" diff "$@" >out 2>err
	status=$?
	expect_eq "status of diff $* ($(head -n 3 err))" $status "$wanted"
}
says() { # REGEX of standard error
	expect_match "what diff says" "$(cat err)" "$1"
}

# A line of Python and what it called: its noise is that of the looks that found a CPU.
diff_of 0 "$recordings/copies.evt" "$recordings/queue_empty.evt" lines --format json --limit 0
"$REPORT" lines --format json --limit 0 "$recordings/copies.evt" >before.json
"$REPORT" lines --format json --limit 0 "$recordings/queue_empty.evt" >after.json
python3 -S - <<'END' 2>why || fail "noise of sampled lines: $(tail -1 why)"
import json
doc, *sides = (json.load(open(name)) for name in ("out", "before.json", "after.json"))
each = [side["totals"]["cpu_ns"] / side["totals"]["cpu_samples"] for side in sides]
rows = [row for row in doc["rows"] if row["metric"] == "total_cpu_ns" and row["noise"] is not None]
assert rows
for row in rows:  # of n looks of w ns each: w times the root of n
    least = 4 * sum(row[name] * one for name, one in zip(("before", "after"), each)) ** 0.5
    assert row["noise"] >= 0.999 * least, (row, least)
END

# Every number is the reports' own, and the changes are theirs.
compare() { # BEFORE AFTER REPORT [OPTION...]
	diff_of 0 "$@" --format json
	"$REPORT" "${@:3}" --format json "$1" >before.json 2>/dev/null
	"$REPORT" "${@:3}" --format json "$2" >after.json 2>/dev/null
	python3 -S - <<-'END' || fail "diff of $3 is not the difference of its tables"
	import json
	doc, before, after = (json.load(open(name)) for name in ("out", "before.json", "after.json"))
	def close(a, b):
	    return a == b or (a is not None and b is not None and abs(a - b) <= 1e-5 * max(abs(a), abs(b)))
	totals = [row for row in doc["rows"] if row["row"] is None]
	for row in totals:
	    if before["rows"]:
	        assert close(row["before"], before["totals"][row["metric"]]), row
	    if after["rows"]:
	        assert close(row["after"], after["totals"][row["metric"]]), row
	units = {column["name"]: column["unit"] for column in after["columns"]}
	for metric in {row["metric"] for row in doc["rows"] if row["row"] is not None}:
	    rows = [row for row in doc["rows"] if row["metric"] == metric and row["row"] is not None]
	    for side, own in (("before", before), ("after", after)):
	        got = sorted(row[side] for row in rows if row[side] is not None)
	        want = sorted(row[metric] for row in own["rows"] if row.get(metric) is not None)
	        assert len(got) == len(want) and all(close(a, b) for a, b in zip(got, want)), (metric, side, got, want)
	    for row in rows:
	        assert row["unit"] == units[metric]
	        if row["before"] is not None and row["after"] is not None:
	            assert abs(row["change"] - (row["after"] - row["before"])) <= 1e-5 * max(1, abs(row["after"]), abs(row["before"])), row
	        else:
	            assert row["verdict"] in ("new", "gone"), row
	assert len({(row["row"], row["metric"]) for row in doc["rows"]}) == len(doc["rows"]), "a row twice"
	assert ("other_command" in doc["totals"]) == (doc["session"]["command"] != doc["before"][0]["session"]["command"]), doc["totals"]
	assert doc["before"][0]["files"][0]["path"] != doc["files"][0]["path"]
	END
}
for report in ops steps threads processes actions; do
	compare "$good" "$adam" $report
done
diff_of 0 "$good" "$golden/gpu4.evt"
grep -q "The runs had different commands" out || fail "runs of other programs: $(head -n 5 out)"
compare "$golden/families.evt" "$golden/families3.evt" alloc --by function
compare "$golden/families.evt" "$golden/families3.evt" alloc --by caller
for report in leaks peak nvtx modules api launches memcpy device-memory tensors; do
	compare "$golden/families.evt" "$golden/families3.evt" $report
done

# A recording and itself: nothing has changed, in any report that has rows.
for report in $("$REPORT" --list | awk '{ print $1 }'); do
	if [[ $report =~ ^($no_tables)$ ]]; then
		diff_of 2 "$good" "$adam" "$report"
		continue
	fi
	diff_of 0 "$golden/families.evt" "$golden/families.evt" "$report" --format json
	python3 -c '
import json, sys
wrong = [row for row in json.load(open("out"))["rows"] if row["verdict"] != "same" and row["change"] != 0]
sys.exit(str(wrong[:3]) if wrong else 0)' || fail "$report changes against itself"
done
diff_of 0 "$good" "$good"
expect_match "a run against itself" "$(cat out)" 'nothing that both runs recorded has changed'
cp "$good" copy.evt
diff_of 0 "$good" copy.evt steps
expect_eq "verdicts of a copy" "$(awk '/ms/ { print $NF }' out | sort -u)" same

# The first screen: 80 columns, the median step first, what is noise is called that.
COLUMNS=80 diff_of 0 "$good" "$adam"
expect_match "the first row" "$(grep -m 1 '^steps' out)" '^steps.p50_ns +19.8 ms +175 ms .*784.8 % .*longer$'
expect_eq "lines of more than 80 columns" "$(grep -v '^before:\|^after:' out | awk 'length > 80')" ''
diff_of 0 "$good" "$recordings/good_few_prints.evt" steps
expect_match "a median inside of the spread" "$(grep p50_ns out)" '14.6 % .*noise$'
for format in csv markdown; do
	diff_of 0 "$good" "$adam" ops --format $format
	grep -q addmm out || fail "no rows as $format"
done
diff_of 0 "$good" "$adam" ops --filter verdict=new --columns what,after --limit 0
grep -q Adam out || fail "--filter and --columns do not work: $(head -n 5 out)"
diff_of 0 "$good" "$adam" ops --step 3..5 --metric calls --by shape
[ -s out ] || fail "no output with --step"

# Sessions of several files; several runs before.
diff_of 0 "$recordings"/good_ranks*.evt "$recordings"/straggler*.evt steps --format json
expect_eq "steps of all ranks" "$(python3 -c '
import json; print(*next((r["before"], r["after"]) for r in json.load(open("out"))["rows"] if r["metric"] == "steps"))')" \
	"$(json steps "$recordings/good_ranks.evt" 'totals["steps"]') $(json steps "$recordings/straggler.evt" 'totals["steps"]')"
diff_of 0 "$recordings/gil_contention.evt" "$recordings"/good_ranks*.evt # a file a rank, all with the same settings
expect_eq "lines about settings" "$(grep -c '^trace: nvtx,cuda,gpu,torch,imports before, nvtx,cuda,torch after$' out)" 1
base=("$good" "$recordings/good_fused.evt" "$recordings/good_few_prints.evt" "$recordings/good_losses_read.evt")
diff_of 0 "$adam" --against "${base[@]}" --format json
python3 -c '
import json
doc = json.load(open("out"))
assert len(doc["before"]) == 4
row = next(r for r in doc["rows"] if r["what"] == "steps.p50_ns")
assert row["runs"] == 4 and row["verdict"] == "longer" and row["noise"] > 0, row
' || fail "--against"

# Several against several, and one more file of it than of the other side.
diff_of 0 "$adam" "$recordings/good_fused.evt" --against "$good" "$recordings/good_few_prints.evt" --format json
python3 -c '
import json
doc = json.load(open("out"))
assert len(doc["before"]) == 2 and len(doc["also_after"]) == 1, doc.keys()
row = next(r for r in doc["rows"] if r["what"] == "steps.p50_ns")
assert row["runs"] == 2 and row["runs_after"] == 2 and row["noise"] > 0 and row["verdict"] == "noise", row
' || fail "two against two"
# Two runs do not tell whether counts vary from run to run; what hardly changes does not matter.
diff_of 0 "$golden/families.evt" "$golden/families3.evt" alloc --metric all --format json
python3 -c '
import json
rows = json.load(open("out"))["rows"]
told = [row for row in rows if row["verdict"] in ("more", "less", "noise")]
assert not told, told[:3]' || fail "verdicts of counts of one run against one"

# --fail-if: met, not met, noise, and what cannot be judged never passes.
diff_of 3 "$good" "$adam" --fail-if 'steps.p50_ns>+5%'
says "^prof-report: --fail-if 'steps.p50_ns>\+5%': met: 19.8 ms before, 175 ms after, \+784.8 %"
diff_of 0 "$adam" "$good" --fail-if 'steps.p50_ns>+5%'
expect_eq "what is said of a condition that does not hold" "$(cat err)" ''
diff_of 3 "$adam" "$good" --fail-if 'steps.p50_ns<-50%'
diff_of 0 "$good" "$recordings/good_few_prints.evt" --fail-if 'steps.p50_ns>+5%'
says 'beyond the limit, but noise'
diff_of 3 "$good" "$recordings/good_few_prints.evt" --fail-if 'steps.p50_ns>20ms'
diff_of 3 "$good" "$adam" --fail-if 'ops[aten::addmm].self_cpu_ns>+100ms'
diff_of 0 "$good" "$adam" --fail-if 'ops[aten::addmm].self_cpu_ns>+10s'
diff_of 3 "$good" "$adam" steps --fail-if 'ops[aten::*].self_cpu_ns>+5%' --fail-if 'steps.steps>+1000%'
diff_of 1 "$good" "$adam" --fail-if 'ops[nosuch].calls>+5%'
says 'neither run has such a row'
diff_of 1 "$good" "$adam" --fail-if 'alloc.peak_bytes>+5%'
says 'neither run has such a row'
diff_of 1 "$good" "$golden/killed.evt" --fail-if 'steps.p50_ns>+5%'
says 'cannot be judged: 19.8 ms before, nothing after'
diff_of 1 "$good" "$adam" --fail-if 'ops.nosuch>+5%'
for wrong in 'nosuch.calls>+5%' 'ops' 'ops.' 'ops.calls' 'ops.calls=5' 'ops.calls>' 'ops.calls>x' 'ops[aten.calls>5' 'check.x>5' '.x>5' ''; do
	diff_of 2 "$good" "$adam" --fail-if "$wrong"
	says '^prof-report: --fail-if .*as in steps.p50_ns'
done

# Runs of different kinds, damaged and unfinished ones, and words that are wrong.
diff_of 0 "$good" "$golden/killed.evt"
expect_match "what only one has" "$(cat out)" 'steps: not all of the runs have rows of it'
diff_of 1 "$good" "$golden/cut.evt" alloc
says "cut.evt': offset"
grep -q INCOMPLETE out || fail "damage is not shown in the table"
diff_of 1 "$golden/cut.evt" "$good" alloc --format json
python3 -S -c 'import json; assert json.load(open("out"))["before"][0]["faults"]' || fail "damage of the run before is not in JSON"
: >empty.evt
diff_of 1 "$good" empty.evt
diff_of 1 "$good" nosuch.evt
diff_of 2 "$good"
says 'two recordings are needed'
diff_of 2
diff_of 2 "$good" "$adam" "$recordings/good_fused.evt"
diff_of 2 --against "$good"
diff_of 2 "$good" --against
diff_of 2 "$good" "$adam" ops alloc
diff_of 2 "$good" "$adam" ops --by nosuch
diff_of 2 "$good" "$adam" --by op
diff_of 2 "$good" "$adam" ops --metric nosuch
diff_of 2 "$good" "$adam" ops --metric name
"$REPORT" ops --fail-if x "$good" 2>err && fail "ops takes --fail-if"
says "takes no --fail-if; these do: diff"
# On 80 columns names come before figures: what differs can be told apart.
COLUMNS=80 "$REPORT" diff "$ROOT/tests/golden/families.evt" "$ROOT/tests/golden/families3.evt" >out 2>/dev/null || fail "80 columns: status $?"
expect_match "a long name" "$(grep mkldnn out)" 'ops\[aten::mkldnn_convolution\].self_cpu_ns '
expect_match "what has no room" "$(cat out)" 'not shown: --columns change'

# Rows with the same name are told apart by what they are of, not by the order in which they came: two files import one module,
# in the other order in the other run.
for name in one two; do
	printf 'import sys\nsys.modules.pop("common", None)\nimport common\n' >"$name.py"
done
echo 'blocks = [bytearray(100) for _ in range(1000)]' >common.py
for order in "one two" "two one"; do
	INTERCEPT_OUTPUT=$PWD/${order% *}.evt LD_PRELOAD=$LIB python3 -c "import ${order/ /, }" || fail "imports: status $?"
done
diff_of 0 one.evt two.evt imports --format csv --limit 0
expect_eq "imports of one module" "$(sed -n 's/^"*\(common[^"]*)\).*imports,count,\([0-9]*,[0-9]*\),.*/\1 \2/p' out | sort -u)" \
	"$(printf 'common (one, %s/one.py, line 3) 1,1\ncommon (two, %s/two.py, line 3) 1,1' "$PWD" "$PWD")"
exit 0
