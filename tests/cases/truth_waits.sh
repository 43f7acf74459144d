#!/bin/bash
# Programs that wait for a worker, a child process, a mutex, a callback of an event loop, run: what is waited for is named with its line.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_torch
export PYTHONPATH=$ROOT/tests/truth:$ROOT/tests/torch/eager
for name in event_loop slow_worker child_process mutex; do
	program=$ROOT/tests/truth/programs/$name.py
	# a busy machine has fewer looks
	INTERCEPT_SAMPLE=200 run_traced "$PYTHON" "$program" >out 2>err || fail "$name: $(cat err)"
	python3 -S "$ROOT/tests/truth/judge.py" --live "$REPORT" "$OUTPUT" "$program" || fail "$name"
	rm "$OUTPUT"
done
