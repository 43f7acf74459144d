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
python3 "$ROOT/tests/each.py" "$ROOT/tests/truth/judge.py" "$REPORT" <programs || fail "recordings get the wrong advice"
