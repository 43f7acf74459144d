#!/bin/bash
# Recorded files of earlier versions are still read, and the reports say of them what they said then.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

export PROF_REPORT_CACHE=off # what an earlier run has found out on this machine is not in the files
found=0
for file in "$ROOT"/tests/golden/*.evt; do
	[[ -e $file ]] || continue
	found=$((found + 1))
	python3 "$ROOT/tests/golden.py" "$REPORT" "$file" "${file%.evt}.json" ${UPDATE:+--update} ||
		fail "${file##*/} is not read as it was"
done
((found > 0)) || fail "no file in tests/golden"

line=$("$REPORT" dump "$ROOT/tests/golden/newer_event.evt" | grep -c 'heap_trim pad=5 released=1')
expect_eq "events of a later version that dump names" "$line" 1
