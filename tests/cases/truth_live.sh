#!/bin/bash
# Programs with one planted cause each, run: the cause is among the advice, however busy the machine is.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch
export PYTHONPATH=$ROOT/tests/truth
# waits that no load makes shorter, and what is counted
for name in sleep_labelled decode collate recompilation closure growing_tensors; do
	program=$ROOT/tests/truth/programs/$name.py
	INTERCEPT_TRACE=$(sed -n 's/^# trace: //p' "$program") run_traced "$PYTHON" "$program" >out 2>err || fail "$name: $(cat err)"
	python3 "$ROOT/tests/truth/judge.py" --live "$REPORT" "$OUTPUT" "$program" || fail "$name"
	rm "$OUTPUT"
done
