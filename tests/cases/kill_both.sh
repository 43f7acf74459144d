#!/bin/bash
# kill -9 of program and collector together: readable, and all that is older than a second is there.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
progress() {
	python3 -c "import struct; print(sum(struct.unpack('512Q', open('progress', 'rb').read())))"
}
collector_of() { # FILE: pid of the process that has it open
	local link
	for link in /proc/[0-9]*/fd/*; do
		[[ $(readlink "$link" 2>/dev/null) == "$1" ]] || continue
		link=${link#/proc/}
		echo "${link%%/*}"
		return
	done
}

INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 2 1000 2>err &
pid=$!
sleep 1.3
collector=$(collector_of "$OUTPUT")
[[ $collector ]] || fail "no process has the file open"
# A second for the frame to be closed; 200 ms for a busy machine to write it.
early=$(progress)
sleep 1.2
kill -9 "$collector" $pid
wait $pid 2>/dev/null
late=$(progress)
# Not complete, so status 1; what is there is shown.
"$REPORT" alloc --format json "$OUTPUT" >alloc.json 2>err
expect_eq "exit status of an unfinished file" $? 1
expect_eq "lines on standard error" "$(wc -l <err)" 1
got=$(python3 -c "import json; t = json.load(open('alloc.json'))['totals']; print(t['allocations'] + t['frees'] + t['frees_unmatched'])")
expect_between "events" "$got" "$early" $((late + 20))
