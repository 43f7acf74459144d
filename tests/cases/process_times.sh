#!/bin/bash
# A process lasts as long as it lasted itself, however late its collector comes to look: exit, kill -9, exec.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >script.py <<'END'
import os, sys, time
start = time.monotonic_ns()
kept = [bytearray(1000) for _ in range(100)]
lived = time.monotonic_ns() - start
kept.append(bytearray(1000)) # who is killed has lived until its last record at least
print(lived, flush=True)
if sys.argv[1] == "follower":
    sys.exit(5)
input()
if sys.argv[1] == "exec":
    os.execv(sys.executable, [sys.executable, sys.argv[0], "follower"])
kept += [bytearray(1000) for _ in range(100)]
print(time.monotonic_ns() - start, flush=True)
END
python=$(python3 -c "import sys; print(sys.executable)") # not a launcher of its version
mkfifo go
now() {
	python3 -c 'import time; print(time.monotonic_ns())'
}

# run HOW: with a collector that stands still from before the end on. Leaves $took, the time between two looks at
# the clock around the program's life, and $lived, the program's own.
run() {
	local collector pid from
	rm -f ./run.*evt out
	from=$(now)
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$python" script.py "$1" <go >out 2>err &
	pid=$!
	exec 3>go
	collector=$(collector_of "$OUTPUT") || fail "$1: no process has the file open"
	eventually "file out" test -s out
	kill -STOP "$collector"
	if [[ $1 == kill ]]; then
		kill -9 $pid
	else
		echo >&3
	fi
	exec 3>&-
	wait $pid 2>/dev/null
	took=$(($(now) - from))
	lived=$(tail -n 1 out)
	sleep 0.3 # it sees the end this much too late at least
	kill -CONT "$collector"
}

span='processes.rows[0].end_ns - processes.rows[0].start_ns'
for how in exit kill; do
	run $how
	expect "$OUTPUT" 'len(processes.rows) == 1' "$lived <= $span" "$span <= $took" \
		"summary.totals.wall_ns <= $took"
	"$REPORT" check "$OUTPUT" >check.out || fail "$how: check: $(cat check.out)"
done
run exec
expect "$OUTPUT" 'len(processes.rows) == 2' 'processes.row(exit_status=5)' \
	'len([row for row in processes.rows if row.exit_status is None]) == 1' \
	'[row for row in processes.rows if row.exit_status is None][0].end_ns <= processes.row(exit_status=5).start_ns'
