#!/bin/bash
# prof-report watch: a program while it runs, by pid and by file; figures are those of the reports; ends with it, or when asked to.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

unset COLUMNS LINES
export INTERCEPT_KEEP=0
golden=$ROOT/tests/golden
cat >program.py <<'END'
import os, sys
kept = []
with open("ready", "w"): pass
for line in sys.stdin:
    if line == "end\n":
        break
    if line == "fork\n":  # until this process ends
        end, kept_open = os.pipe()
        if not os.fork():
            os.close(kept_open)
            os.read(end, 1)
            os._exit(0)
        continue
    kept.append(bytearray(50 << 20))
    with open("data", "wb") as out:
        out.write(b"x" * int(line))
    print("done", flush=True)
END
starts() { # the program, which waits for lines
	rm -f ready
	coproc PROGRAM { INTERCEPT_TRACE=+io INTERCEPT_OUTPUT=${1:-$OUTPUT} LD_PRELOAD=$LIB exec python3 program.py; }
	program=$PROGRAM_PID
	exec 5>&"${PROGRAM[1]}" 6<&"${PROGRAM[0]}"
	eventually "file ready" test -e ready
}
ends() { # it
	echo end >&5
	exec 5>&- 6<&-
	wait "$program"
}
shows() { # FILE TEXT: until the blocks that are printed there have it
	for ((i = 0; i < looks; i++)); do
		grep -qF -- "$2" "$1" && return
		sleep 0.1
	done
	fail "'$2' never came: $(tail -n 30 "$1")"
}

# A finished recording: one block, whose figures are those of the reports.
COLUMNS=100 "$REPORT" watch "$golden/families.evt" >out 2>err || fail "families: status $? ($(cat err))"
expect_eq "stderr" "$(cat err)" ''
expect_match "the head" "$(head -n 1 out)" 'families.evt +has ended, 6.82 s'
expect_match "steps" "$(grep ^steps out)" " $(json steps "$golden/families.evt" 'totals["steps"]') in all"
expect_match "phases" "$(grep ^phases out)" "$("$REPORT" steps "$golden/families.evt" | grep -o 'forward [0-9.]* %' |
	awk 'NR == 1 { printf "forward %.0f %%", $2 }')"
top=$(json ops "$golden/families.evt" 'rows[0]["name"]' --sort self_cpu_ns)
expect_match "the first operator" "$(grep -A 1 '  operators,' out | tail -n 1)" "  $top\$"
"$REPORT" watch "$golden/io.evt" >out || fail "io: status $?"
read=$(json io "$golden/io.evt" 'totals["bytes_read"]')
expect_match "bytes read" "$(grep ^io out)" "   $(python3 -c "print('%.2f KiB' % ($read / 1024))") and "
for width in 80 200; do
	COLUMNS=$width "$REPORT" watch "$golden/io.evt" | LC_ALL=C.UTF-8 awk -v width=$width 'length($0) > width { print; bad = 1 } END { exit bad }' ||
		fail "lines wider than $width"
done

# While it runs: by its file, by its pid, by that of its parent; it does not disturb the program, and ends with it.
starts
"$REPORT" watch "$OUTPUT" --interval 0.1 --window 60 >by_file 2>err &
by_file=$!
"$REPORT" watch "$program" --interval 0.1 >by_pid 2>>err &
by_pid=$!
"$REPORT" watch $$ --interval 0.1 >by_parent 2>>err &
by_parent=$!
shows by_file "running, "
echo 3000000 >&5
read -r _ <&6
shows by_file '2.86 MiB in all'
shows by_pid '2.86 MiB in all'
shows by_parent '2.86 MiB in all'
echo 1000000 >&5
read -r _ <&6
shows by_file '3.81 MiB in all'
shows by_pid '3.81 MiB in all'
ends
wait $by_file || fail "status with the program's end: $?"
wait $by_pid || fail "status by pid: $?"
wait $by_parent || fail "status by the parent's pid: $?"
expect_eq "stderr of those" "$(cat err)" ''
for out in by_file by_pid by_parent; do
	expect_match "last head in $out" "$(grep -a 'run.evt  ' $out | tail -n 1)" 'has ended'
done
"$REPORT" watch "$OUTPUT" >after
# read in many pieces or in one: the same, but for the window, which is this long
expect_eq "figures of all" "$(grep ' in all' by_file | grep ^cpu | tail -n 1 | sed 's/.*cores//')" "$(grep ^cpu after | sed 's/.*cores//')"
expect_eq "input and output" "$(grep ^io by_file | tail -n 1 | sed 's/.*   //')" "$(grep ^io after | sed 's/.*   //')"
expect_eq "heap" "$(grep ^heap by_file | tail -n 1 | sed 's/ live.*//')" "$(grep ^heap after | sed 's/ live.*//')"

# So many looks, and no more; what has not started yet is waited for.
"$REPORT" watch later.evt --interval 0.05 --count 2 >out || fail "nothing there: status $?"
expect_eq "looks" "$(grep -c 'waiting for its program to start' out)" 2
"$REPORT" watch later.evt --interval 0.1 >later &
later=$!
shows later 'waiting for its program'
starts "$PWD/later.evt"
shows later 'running, '
# what two processes share is resident in both: their sum is a bound; a figure that does not fit into its line stands below
echo fork >&5
shows later ' in the largest, at most '
expect_match "figures of two processes" "$(grep -B 1 ' in the largest, at most ' later | head -n 2 | paste -sd '|')" \
	'^cpu .* 2 processes, 2 threads\| {10}memory [0-9.]+ .?iB in the largest, at most [0-9.]+ .iB in all$'
# another program of the session has a file of its own
INTERCEPT_OUTPUT=$PWD/later.evt LD_PRELOAD=$LIB INTERCEPT_SESSION=$(tr '\0' '\n' <"/proc/$program/environ" | sed -n 's/^INTERCEPT_SESSION=//p') true
ends
wait $later || fail "a program that came later: status $?"

# Files that go away or lose their end while they are watched.
cp "$OUTPUT" whole.evt
starts "$PWD/gone.evt"
"$REPORT" watch gone.evt --interval 0.1 >gone &
gone=$!
shows gone 'running, '
mv gone.evt elsewhere.evt
shows gone 'moved      gone.evt'
ends
wait $gone || fail "a file that was moved: status $?"
cp whole.evt cut.evt
mkfifo held
python3 -c 'import fcntl, sys
held = open("cut.evt", "r+b")
fcntl.lockf(held, fcntl.LOCK_EX)
open("held", "w").close()
sys.stdin.read()' < <(sleep 100 & echo $! >holds; wait) & # as its collector would
read -r _ <held
"$REPORT" watch cut.evt --interval 0.1 >./cut &
cut=$!
shows cut 'running, '
: >cut.evt
shows cut 'cut short  cut.evt'
wait $cut
expect_eq "status of a file that was cut short" $? 1
kill "$(cat holds)"
head -c 3000 "$golden/families.evt" >killed.evt
"$REPORT" watch killed.evt >out
expect_eq "status of a file without an end" $? 1
expect_match "what it says of it" "$(cat out)" 'damaged +[0-9]+ places'
head -c 150 "$golden/families.evt" >killed.evt
"$REPORT" watch killed.evt >out
expect_eq "status of a file without a process" $? 1
expect_match "its head" "$(head -n 1 out)" '^killed.evt  has ended, 0 ns$'

# Names and words that are wrong: one line each.
refuses 2 "--interval '0' is not a number from 0.05 to 86400" watch --interval 0 whole.evt
refuses 2 "--count 'x' is not a number" watch --count x whole.evt
refuses 2 "--window '-1' is not a number" watch --window -1 whole.evt
refuses 2 'watch takes one recording or one pid, not 2' watch whole.evt whole.evt
refuses 1 'there is no process 99999999' watch 99999999
refuses 1 'there is no process 99999999999' watch --count 1 99999999999
refuses 1 'there is no process 0;' watch --count 1 0
sleep 100 &
refuses 1 "process $! is not being recorded" watch $!
kill $!
refuses 1 'is not a recording' watch "$ROOT/README.md"
printf '\033]0;title\007' >"$(printf 'esc\033[31m.evt')"
refuses 1 'esc.x1b' watch "$(printf 'esc\033[31m.evt')"

# On a terminal: drawn in its place, all of it given back however it ends.
on_terminal() { # SIZE SCRIPT ARGUMENT...
	local size=$1 script=$2
	shift 2
	TERM=xterm LC_ALL=C.UTF-8 python3 "$ROOT/tests/terminal.py" "$size" "$script" "$REPORT" watch "$@" >screen || fail "on a terminal: $(cat screen)"
	expect_eq "the terminal after '$script'" "$(sed -n 2p screen)" 'terminal as before cursor screen'
	expect_eq "what was odd with '$script'" "$(grep ^odd screen)" ''
}
starts
on_terminal 80x24 'see:running, see:q_ends see:lines_of_Python key:q end' "$program"
expect_eq "status after q" "$(head -n 1 screen)" 'status 0'
expect_match "what stays" "$(cat screen)" 'run.evt  running'
on_terminal 80x24 'see:q_ends key:^C end' "$OUTPUT"
expect_eq "status after Ctrl-C" "$(head -n 1 screen)" 'status 0'
on_terminal 80x24 'see:q_ends key:x size:200x50 drawn see:q_ends size:40x10 drawn see:q_ends size:20x3 drawn see:cpu size:80x24 drawn see:q_ends key:q end' \
	--interval 0.1 "$OUTPUT"
on_terminal 80x24 'see:q_ends key:^Z stopped raw:1049l signal:CONT raw:1049h see:q_ends key:q end' "$OUTPUT"
for signal in TERM HUP QUIT; do
	on_terminal 80x24 "see:q_ends signal:$signal end" "$OUTPUT"
	expect_eq "status after SIG$signal" "$(head -n 1 screen)" "status $((128 + $(kill -l $signal)))"
done
on_terminal 80x24 "see:q_ends signal:SEGV end" "$OUTPUT"
expect_eq "status after a crash" "$(head -n 1 screen)" "status 139"
ends
on_terminal 80x24 'end' "$OUTPUT"
expect_match "the end of a program" "$(cat screen)" 'run.evt  has ended'
on_terminal 80x24 'see:waiting_for key:q end' nothing.evt
exit 0
