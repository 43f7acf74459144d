#!/bin/bash
# prof-report diff --flame: the picture and the folded lines have diff's own sums, per step and for several runs; what it refuses.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

golden=$ROOT/tests/golden
before=$golden/families.evt after=$golden/families3.evt

# Folded lines against the rows of diff, and every box of the picture against the lines below it.
same_sums() { # ARGUMENT...
	"$REPORT" diff --flame "$@" --format json --limit 0 >rows.json 2>err || fail "diff --flame $*: $(cat err)"
	"$REPORT" diff --flame "$@" -o pic.folded 2>err || fail "folded $*: $(cat err)"
	"$REPORT" diff --flame "$@" -o pic.svg 2>err || fail "svg $*: $(cat err)"
	python3 -S - <<-'END' || fail "sums of diff --flame $*"
	import collections, json, re
	import xml.etree.ElementTree as tree
	doc = json.load(open("rows.json"))
	total = next(row for row in doc["rows"] if row["row"] is None and row["metric"] == "total")
	rows = {row["row"]: row for row in doc["rows"] if row["row"] is not None and row["metric"] == "value"}
	near = lambda a, b: abs(a - b) <= 1e-6 * max(1, abs(a), abs(b)) + 1e-5
	lines = {}
	for line in open("pic.folded"):
	    stack, was, now = line.rstrip("\n").rsplit(" ", 2)
	    assert stack not in lines
	    lines[stack] = (float(was), float(now))
	assert rows and set(lines) == set(rows), sorted(set(lines) ^ set(rows))[:3]
	for stack, (was, now) in lines.items():
	    # diff rounds what is no whole number
	    assert abs(was - (rows[stack]["before"] or 0)) <= 0.51 and abs(now - (rows[stack]["after"] or 0)) <= 0.51, (stack, rows[stack])
	for at, side in enumerate(("before", "after")):
	    assert abs(sum(pair[at] for pair in lines.values()) - total[side]) <= 0.51, side
	# the picture: a box is the sum of the stacks that begin with its path
	sums = collections.defaultdict(lambda: [0, 0])
	for stack, pair in lines.items():
	    path = stack.split(";")
	    for depth in range(len(path) + 1):
	        for at in (0, 1):
	            sums[tuple(path[:depth])][at] += pair[at]
	space = "{http://www.w3.org/2000/svg}"
	boxes = [g for g in tree.parse("pic.svg").iter(space + "g") if g.get("data-before")]
	path, whole = [], sum(sums[()])
	for g in boxes:
	    name, text = re.fullmatch(r"(.*) \(([^()]*)\)", g.find(space + "title").text, re.S).groups()
	    depth = int(g.get("data-d"))
	    path[max(depth - 1, 0):] = [name] if depth else []
	    was, now = float(g.get("data-before")), float(g.get("data-after"))
	    assert near(was, sums[tuple(path)][0]) and near(now, sums[tuple(path)][1]), (path, was, now)
	    assert near(float(g.get("data-w")) * whole, was + now) or abs(float(g.get("data-w")) - (was + now) / whole) < 2e-6, path
	    # readable without colour: the mark, and strokes that rise or fall
	    mark, hue = g.get("data-m").strip(), g.find(space + "rect").get("class")
	    verdict = text.split(", ")[-1]
	    unsure = verdict in ("noise", "slight")
	    assert mark == ("~" if unsure else "+" if now > was else "-" if now < was else "="), (path, mark, text)
	    assert hue[0] == ({"+": "p", "-": "m", "=": "d", "~": "n"}[mark] if was != now else "d"), (path, hue)
	    if (was == 0) != (now == 0):
	        assert verdict == ("new" if now else "gone"), text
	assert len(boxes) > 1 and boxes[0].get("data-d") == "0"
	END
}
same_sums "$before" "$after"
same_sums "$before" "$after" --value calls
same_sums "$before" "$after" --value peak
same_sums "$before" "$after" --value live
same_sums "$before" "$before"
same_sums "$golden/stacks.evt" "$golden/stacks.evt" --by line
same_sums "$golden/samples.evt" "$golden/samples.evt" --of samples
# several runs: means, and a run that lacks a stack has 0 of it
several=("$golden/counts.evt" "$golden/counts2.evt" --against "$before" "$after")
"$REPORT" diff --flame "${several[@]}" -o pic.folded 2>err || fail "several runs: $(cat err)"
"$REPORT" diff --flame "${several[@]}" --format json --limit 1 2>/dev/null >rows.json
python3 -S - <<-'END' || fail "means of several runs"
import json
total = next(row for row in json.load(open("rows.json"))["rows"] if row["metric"] == "total")
sums = [sum(float(line.rsplit(" ", 2)[at]) for line in open("pic.folded")) for at in (1, 2)]
assert abs(sums[0] - total["before"]) <= 0.51 and abs(sums[1] - total["after"]) <= 0.51, (sums, total)
END
steps=$("$REPORT" steps --format csv "$before" 2>/dev/null | tail -n +2 | wc -l)
[[ $steps -gt 0 ]] || fail "families.evt has no steps"
same_sums --per step "$before" "$after"
whole=$("$REPORT" diff --flame "$before" "$after" --format folded 2>/dev/null | awk '{ sum += $(NF-1) } END { printf "%.0f", sum }')
each=$("$REPORT" diff --flame "$before" "$after" --per step --format folded 2>/dev/null | awk '{ sum += $(NF-1) } END { printf "%.3f", sum }')
python3 -c 'import sys; whole, each, steps = map(float, sys.argv[1:]); sys.exit(abs(each * steps - whole) > 1)' "$whole" "$each" "$steps" ||
	fail "per step: $each times $steps is not $whole"

refuses 2 "--per step: --value live is no sum over steps" diff --flame "$before" "$after" --per step --value live
refuses 2 "diff: --of is of stacks: add --flame" diff "$before" "$after" --of tensors
refuses 2 "diff: --per step is of stacks: add --flame" diff "$before" "$after" ops --per step
refuses 2 "diff: --flame is of report flame: leave out 'ops'" diff --flame "$before" "$after" ops
refuses 2 "it is of report flame and of diff --flame" diff "$before" "$after" --format svg
refuses 1 "io.evt' cannot be drawn: no allocation was recorded" diff --flame "$before" "$golden/io.evt" -o x.svg
[[ ! -s x.svg ]] || fail "a picture of nothing was written"
refuses 1 "--per step: '.*stacks.evt' has no steps" diff --flame "$golden/stacks.evt" "$golden/stacks.evt" --per step -o y.svg
# a hostile name stays text
grep -c '<script' pic.svg | grep -qx 1 || fail "more than one script in the picture"
exit 0
