#!/bin/bash
# What reports say of a recording up to a time, and from it on, adds up to what they say of the whole, wherever it is cut.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3
for name in functions families ranges collectives gpu5 io; do
	python3 "$ROOT/tests/cuts.py" "$REPORT" "$ROOT/tests/golden/$name.evt" 16 >cuts.txt ||
		fail "$(tail -n 12 cuts.txt)"
done

# The figures that were wrong when nobody followed imports and calls beyond the end of --time.
expect_eq "imports up to 6.3 ms" "$(json imports "$ROOT/tests/golden/functions.evt" \
	'[r["cumulative_ns"] for r in rows if r["module"] == "posix"][0]' --time ..6.3ms)" 246370
expect_eq "their time" "$(json imports "$ROOT/tests/golden/functions.evt" \
	'sum(r["self_ns"] for r in rows) // 10000' --time ..6.3ms)" 62
