#!/bin/bash
# What reports say of a recording up to a time, and from it on, adds up to what they say of the whole, wherever it is cut.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3

# cut MOST FILE [OPTION...]
cut() {
	python3 -S "$ROOT/tests/cuts.py" "$REPORT" "$1" "$ROOT/tests/$2" "${@:3}" >cuts.txt || fail "$2 ${*:3}: $(tail -n 12 cuts.txt)"
}
for name in functions families ranges collectives gpu5 io samples native pymem stacks counts2; do
	cut 6 golden/$name.evt
done
cut 6 golden/families.evt --range iteration
cut 6 golden/families.evt --during forward
cut 6 golden/families.evt --step 14..18
cut 12 golden/ranges.evt --range wanted
cut 12 golden/ranges.evt --during inner
cut 3 truth/recordings/uneven_ranks.evt
cut 3 truth/recordings/uneven_ranks.evt --rank 0

# It finds what does not add up: a report that forgets the options gives the whole twice.
cat >forgets <<'END2'
#!/bin/bash
exec "$REPORT" "${@:1:5}"
END2
chmod +x forgets
python3 -S "$ROOT/tests/cuts.py" ./forgets 1 "$ROOT/tests/golden/families.evt" >cuts.txt && fail "cuts.py finds nothing"
expect_match "what it finds" "$(cat cuts.txt)" "calls of .* in --time"

# The figures that were wrong when nobody followed imports and calls beyond the end of --time.
expect_eq "imports up to 6.3 ms" "$(json imports "$ROOT/tests/golden/functions.evt" \
	'[r["cumulative_ns"] for r in rows if r["module"] == "posix"][0]' --time ..6.3ms)" 246370
expect_eq "their time" "$(json imports "$ROOT/tests/golden/functions.evt" \
	'sum(r["self_ns"] for r in rows) // 10000' --time ..6.3ms)" 62

# The heap is looked at no further than the selected steps.
expect_eq "looks up to step 3" "$(json leaks "$ROOT/tests/truth/recordings/checkpoint.evt" 'totals["steps"]' --step 3)" 5

# Figures of whole lives are not those of a part: they are empty there, and processes and threads that did nothing in it do not count.
families=$ROOT/tests/golden/families.evt
expect_eq "CPU time of a step" "$(json summary "$families" 'totals["cpu_ns"], totals["memory_peak_bytes"]' --step 14)" "(None, None)"
expect_eq "CPU time of its thread" "$(json threads "$families" '[r["cpu_ns"] for r in rows]' --step 14)" "[null]"
expect_eq "of its process" "$(json processes "$families" '[r["cpu_ns"] for r in rows], totals["cpu_ns"]' --step 14)" "([None], None)"
expect_eq "threads of the run, and of a step" "$(json summary "$families" 'totals["threads"]') $(json summary "$families" 'totals["threads"]' --step 14)" "2 1"
expect_eq "a process by its number has its own" "$(json summary "$families" 'totals["cpu_ns"]' --process 5754)" 5874585285
