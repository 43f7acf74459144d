#!/bin/bash
# Recordings of programs with one planted cause each: the first advice names it, and none names another.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

count=0
for program in "$ROOT"/tests/truth/programs/*.py; do
	name=$(basename "$program" .py)
	recording=$ROOT/tests/truth/recordings/$name.evt
	[[ -e $recording ]] || fail "no recording of '$name': tests/truth/record.sh $name"
	count=$((count + 1))
	printf '%s\t%s\n' "$recording" "$program" >>programs
done
((count >= 40)) || fail "only $count programs in tests/truth/programs"
python3 -S "$ROOT/tests/each.py" "$ROOT/tests/truth/judge.py" "$REPORT" <programs || fail "recordings get the wrong advice"
# what is said of selected steps is of these steps, whatever the others did
file=$ROOT/tests/truth/recordings/evaluation_gradients.evt
for step in 0.. 5..6 30; do
	"$REPORT" bottleneck --step $step --format json "$file" >advice.json || fail "bottleneck --step $step"
	"$REPORT" steps --step $step --format json "$file" >steps.json || fail "steps --step $step"
	python3 -S - <<'END' || fail "--step $step: another share than report steps has"
import json
said = [row["value"] for row in json.load(open("advice.json"))["rows"] if row["id"] == "evaluation_gradients"]
totals = json.load(open("steps.json"))["totals"]
assert len(said) == 1 and abs(said[0] - 100 * totals["evaluation_ns"] / totals["total_ns"]) < 0.1, (said, totals)
END
done
