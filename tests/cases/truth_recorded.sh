#!/bin/bash
# Recordings of programs with one planted cause each: the first advice names it, and none names another.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

bad=0 count=0
for program in "$ROOT"/tests/truth/programs/*.py; do
	name=$(basename "$program" .py)
	recording=$ROOT/tests/truth/recordings/$name.evt
	[[ -e $recording ]] || fail "no recording of '$name': tests/truth/record.sh $name"
	python3 "$ROOT/tests/truth/judge.py" "$REPORT" "$recording" "$program" || bad=$((bad + 1))
	count=$((count + 1))
done
((count >= 40)) || fail "only $count programs in tests/truth/programs"
((bad == 0)) || fail "$bad of $count recordings get the wrong advice"
