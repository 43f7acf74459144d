#!/bin/bash
# The files of a session are found and merged; by the stem when run.evt is gone; --live does not wait.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exits
need_program progress
inner="import sys; x = [bytearray(4444) for _ in range(50)]; sys.exit(9)"
run_traced python3 -c "import subprocess, sys; [subprocess.run([sys.executable, '-c', '$inner']) for _ in range(2)]" || fail "status $?"
expect_eq "files" "$(find . -name '*.evt' | wc -l)" 3
expect "$OUTPUT" 'len(processes.rows) == 3' 'len(summary.files) == 3' 'len(processes.select(exit_status=9)) == 2'
expect_sums "$OUTPUT"
mkdir other && mv run.*.evt other/
expect "$OUTPUT" 'len(processes.rows) == 1'
mv other/* . && rm run.evt
expect "$OUTPUT" 'len(processes.rows) == 2' 'len(processes.select(exit_status=9)) == 2'
rm -f ./*.evt
# a live writer
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 1 1000 &
pid=$!
something_is_there() {
	(($(json alloc "$OUTPUT" 'totals["allocations"]' --live 2>/dev/null || echo 0) > 0))
}
eventually "the first frame" something_is_there
timeout 600 "$REPORT" alloc --live --format json "$OUTPUT" >live.json 2>live.err
status=$?
(sleep 0.7; kill -9 $pid) & # a report is already waiting then, or comes just after: both have to see the end
expect "$OUTPUT" 'ended(processes.rows[0], 137)'
wait $pid 2>/dev/null
[[ $status == 0 || $status == 1 ]] || fail "--live: status $status: $(cat live.err)"
got=$(python3 -S -c "import json; print(json.load(open('live.json'))['totals']['allocations'])")
((got > 0)) || fail "--live shows nothing"
