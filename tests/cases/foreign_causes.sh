#!/bin/bash
# Programs over packages of PyPI with a fault that is known from their own trackers: the first screen names the line and the function to change.
# SPDX-License-Identifier: MIT
# timeout: 600
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
need_torch eager
packages=$(fetched foreign)
[[ -e $packages/made-of ]] || skip "no packages for tests/foreign (scripts/pip-folder.sh foreign installs them)"
export PYTHONPATH=$packages${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
export INTERCEPT_SAMPLE=200 # enough samples on a busy machine, too

failed=0 count=0
while IFS='|' read -r name options _; do
	name=${name// /}
	[[ $name && $name != \#* ]] || continue
	OUTPUT=$PWD/$name.evt
	cp "$ROOT/tests/foreign/programs/$name.py" . || fail "no program '$name'"
	# shellcheck disable=SC2086 # words
	run_traced "$PYTHON" $options "$name.py" >"$name.out" 2>&1 </dev/null || fail "$name: status $?: $(tail -n 3 "$name.out")"
	written "$OUTPUT"
	python3 -S "$ROOT/tests/foreign/judge.py" "$REPORT" "$name" "$OUTPUT" || failed=$((failed + 1))
	count=$((count + 1))
done <"$ROOT/tests/foreign/causes.txt"
((count >= 12)) || fail "only $count programs"
((failed == 0)) || fail "$failed of $count programs: the place is not named"
exit 0
