#!/bin/bash
# A file that is still being written: what is waited for, for how long, and that it ends; then what is there.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
report() { # ARGUMENT...: leaves out, err, status, took
	local start=$SECONDS
	timeout 600 "$REPORT" "$@" >out 2>err
	status=$?
	took=$((SECONDS - start))
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
pid=
collector=
trap 'kill -9 $pid $collector 2>/dev/null' EXIT
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 1 1000 2>program.err &
pid=$!
for ((i = 0; i < looks; i++)); do
	[[ -s $OUTPUT ]] && "$REPORT" alloc --live --format json "$OUTPUT" 2>/dev/null |
		grep -q '"allocations": *[1-9]' && break
	sleep 0.1
done

# A program that was killed is gone before its collector has made the file: while a collector is starting the file is waited for.
cp "$(command -v sleep)" intercept-coll
./intercept-coll 600 >/dev/null 2>&1 </dev/null &
starting=$!
trap 'kill -9 $pid $collector $starting 2>/dev/null' EXIT
for reading in "$REPORT" "$REPORT check late.evt"; do
	file=${reading##* }
	[[ $file == late.evt ]] || file=run.evt
	mkdir -p late
	(cd late && $reading >out 2>err) &
	waiting=$!
	sleep 0.5 # the report is to look before there is a file; if it is slower than that, it finds one
	cp "$ROOT/tests/golden/counts.evt" late/made && mv late/made "late/$file"
	wait $waiting || fail "a file that a collector makes a moment later: $(cat late/err)"
	rm -r late
done
kill $starting
wait $starting 2>/dev/null

# Its program lives: which one, and how to look at once.
report alloc --wait 2 --format json "$OUTPUT"
expect_eq "status of a run that goes on" "$status" 1
((took >= 1)) || fail "it did not wait: $took s"
expect_match "what is waited for" "$(head -1 err)" \
	"^prof-report: waiting up to 2 s for '.*run.evt': it records pid $pid '.*progress progress 1 1000' \(--live reads what is there\)$"
expect_match "what it is then" "$(tail -1 err)" \
	"^prof-report: '.*run.evt': .*still being written after [0-9]+ s: pid $pid '.*' runs; what is there so far$"
expect_eq "lines" "$(wc -l <err)" 2
expect_between allocations "$(python3 -S -c "import json; print(json.load(open('out'))['totals']['allocations'])")" 1 999999999
# Unasked it is not waited for: what is there, with one line.
report alloc --format json "$OUTPUT"
expect_eq "status of a run that goes on, unasked" "$status" 0
expect_match "what is said of it" "$(cat err)" \
	"^prof-report: '.*run.evt': pid $pid '.*progress progress 1 1000' runs; what is there so far is shown \(--wait waits for the end\)$"
expect_eq "lines" "$(wc -l <err)" 1
expect_between "allocations unasked" "$(python3 -S -c "import json; print(json.load(open('out'))['totals']['allocations'])")" 1 999999999
report check "$OUTPUT"
expect_eq "what check finds unasked ($(cat out err))" "$status" 0
"$REPORT" alloc --wait "$OUTPUT" >out 2>waiting.err &
waiting=$!
eventually "what is waited for without an end" test -s waiting.err
kill $waiting
wait $waiting 2>/dev/null
expect_eq "status of a wait without an end" $? 143
expect_match "what is waited for without an end" "$(cat waiting.err)" "^prof-report: waiting for '.*run.evt': it records pid $pid "
report check --wait 0 "$OUTPUT"
expect_eq "what check finds ($(cat out err))" "$status" 1
report alloc --live "$OUTPUT"
expect_eq "status with --live ($(cat err))" "$status" 0
expect_eq "talk with --live" "$(cat err)" ''

# Its program has gone and its writer stands still: nothing will come.
collector=$(collector_of "$OUTPUT")
[[ $collector ]] || fail "no process has the file open"
kill -STOP "$collector"
kill -9 "$pid"
wait "$pid" 2>/dev/null
report alloc --wait 2 "$OUTPUT"
expect_eq "status with a writer that hangs" "$status" 1
expect_match "that it hangs" "$(tail -1 err)" \
	"still being written after [0-9]+ s: no process that it records lives, its collector \(pid $collector\) does not write; what is there so far$"
# Long before a limit that is meant for a program that goes on; at the same time without one.
timeout 600 "$REPORT" alloc --wait 50 "$OUTPUT" >limit.out 2>&1 &
limited=$!
report alloc "$OUTPUT"
wait $limited
limited=$?
expect_eq "status with a limit that is not reached ($(tail -1 limit.out))" $limited 1
expect_eq "status unasked with a writer that hangs" "$status" 1
expect_match "that it hangs, unasked" "$(tail -1 err)" "its collector \(pid $collector\) does not write; what is there so far$"
((took >= 9)) || fail "a writer that hangs was given up after $took s"
said=$(sed -n '$s/.*still being written after \([0-9]*\) s: no process.* does not write;.*/\1/p' limit.out)
expect_between "seconds waited for a writer that hangs" "${said:-0}" 9 49
kill -CONT "$collector"
expect "$OUTPUT" 'ended(processes.rows[0], 137)'

# Somebody else holds it: on another host, or another user's.
cat >hold.py <<'END'
import fcntl, os, struct, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
print("held", flush=True)
sys.stdin.read()
END
mkfifo hold
python3 hold.py "$OUTPUT" <hold >held &
exec 3>hold
for ((i = 0; i < looks; i++)); do [[ -s held ]] && break; sleep 0.1; done
report alloc --wait 1 "$OUTPUT"
expect_eq "status with an unknown writer" "$status" 1
expect_match "an unknown writer" "$(tail -1 err)" "still being written after [0-9]+ s, by a process that is not to be seen from here; what is there so far$"
report alloc "$OUTPUT"
exec 3>&-
expect_eq "status with an unknown writer, unasked" "$status" 0
expect_match "an unknown writer, unasked" "$(cat err)" "^prof-report: '.*run.evt': somebody writes it; what is there so far is shown"
report alloc --wait=x "$OUTPUT"
expect_eq "status of a wait that is no number" "$status" 2
