#!/bin/bash
# Every command of prof-report that the cookbook and README.md show works.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

ln -s "$BUILD" build
cp "$ROOT/tests/golden/families3.evt" run.evt
cp "$ROOT/tests/golden/newer_event.evt" run.evt.1
cp run.evt before.evt
for name in after after1 after2 base base1 base2 base3 rank.0 rank.1; do
	cp run.evt $name.evt
done
count=0
while read -r line; do
	count=$((count + 1))
	# the recording has no requests and no samples of Python: that is all that may be wrong with a command
	out=$(bash -c "$line" 2>&1 </dev/null) || [[ $out == *'no request was recorded'* || $out == *'no Python stack was recorded'* ]] || fail "'$line': $out"
done < <(sed -n 's/^    \(build\/prof-report .*\)/\1/p' "$ROOT/README.md" "$ROOT/docs/COOKBOOK.md")
((count >= 8)) || fail "only $count commands found"
[[ -s ranges.csv ]] || fail "no ranges.csv"
