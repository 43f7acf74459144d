#!/bin/bash
# What the summary says beside its tables: the time outside of ranges, CPU times and shares, why there is nothing.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program captured
need_program exits
need_program confine
run_traced "$PROGRAMS/captured" || fail "status $?"
text=$("$REPORT" "$OUTPUT")
expect_match "summary of ranges" "$text" \
	"outside of ranges: [0-9.]+ [mu]?s of [0-9.]+ [mu]?s \([0-9.]+ %\) on thread captured"
# however short it is, a program that got no CPU may have lived for the 100 ms from which on cores are said
lived=$(json summary "$OUTPUT" 'totals["wall_ns"]')
[[ $text != *cores\)* || $lived -ge 100000000 ]] || fail "cores of a tiny program: $text"
[[ $text != *"of the program's"* ]] || fail "shares of a tiny program: $text"
[[ $text != *"at least"* ]] || fail "the CPU time of a program that ended well is not complete: $text"
# sentences come first, in the order of time, causes, memory; nothing is said of what was not recorded
one=$(tr '\n' ' ' <<<"$text")
expect_match "sentences" "$one" \
	'^captured ran [0-9.]+ [mu]?s and used [0-9.]+ [mu]?s of CPU time( \([0-9.]+ cores\))?\. NVTX ranges took [0-9.]+ [mun]?s, [0-9.]+ [mun]?s of it .(outside|wanted)'
expect_match "memory" "$one" 'memory +(resident [0-9.]+ MiB at its peak; )?heap .* of it asked for by +captured '
# a long name shows that something of it is left out, and what it ends in
long=$(printf 'extension%.0s' 1 2 3 4 5).cpython-311.so
cp "$PROGRAMS/captured" "$long"
OUTPUT=$PWD/long.evt
run_traced "./$long" || fail "status $?"
one=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
expect_match "a long name" "$one" 'heap .* of it asked for by +extension[a-z]+\.\.[a-z]*\.cpython-311\.so '
rm -f long.evt
OUTPUT=$PWD/run.evt
expect_eq "phases of a program without steps" \
	"$(json summary "$OUTPUT" '[totals[n] for n in ("startup_ns", "steps_ns", "after_ns")]')" '[null, null, null]'
text=$("$REPORT" summary --range wanted "$OUTPUT")
one=$(tr '\n' ' ' <<<"$text")
expect_match "sentences with a filter" "$one" 'All that follows is within --range; without such options the report covers the whole run\. '
[[ $one != *"resident "* ]] || fail "the whole program's memory with a filter: $one"
[[ $text != *"outside of ranges"* ]] || fail "what --range left out is called outside: $text"

text=$("$REPORT" alloc "$OUTPUT")
expect_match "alloc" "$text" 'blocks by size'
for by in caller thread size process; do
	text=$("$REPORT" alloc --by $by "$OUTPUT")
	[[ $text != *"blocks by size"* ]] || fail "alloc --by $by has the sizes too"
	expect_match "alloc --by $by" "$text" 'heap over '
done
text=$("$REPORT" alloc --range none "$OUTPUT")
expect_match "alloc with a range that is not there" "$text" '^no allocation within --range;'
text=$("$REPORT" threads --time 5h.. --process 1 "$OUTPUT")
expect_match "threads of a time and a process that are not there" "$text" '^no event within --process, --time;'
rm -f run.evt

INTERCEPT_CAPTURE=nvtx:wanted run_traced "$PROGRAMS/captured" || fail "status $?"
text=$("$REPORT" "$OUTPUT")
[[ $text != *"outside of ranges"* ]] || fail "what INTERCEPT_CAPTURE left out is called outside: $text"
rm -f run.evt

run_traced "$PROGRAMS/exits" || true
expect_match "a program of which nothing has a time" "$("$REPORT" "$OUTPUT" | tr '\n' ' ')" \
	'Nothing recorded shows what its (CPU )?time went to\. Record with INTERCEPT_TRACE=\+native-samples,\+osrt,\+io to see the CPU time of functions, what threads wait for, and input and output\. '
rm -f run.evt

# forty threads wait for as long as the program lives: that is more than it took
if command -v python3 >/dev/null; then
	INTERCEPT_TRACE=+io run_traced python3 -c 'import os, threading, time
read, write = os.pipe()
threads = [threading.Thread(target=os.read, args=(read, 1)) for _ in range(40)]
for one in threads: one.start()
time.sleep(1)
os.write(write, bytes(40))
for one in threads: one.join()' || fail "status $?"
	expect_match "times of many threads" "$("$REPORT" "$OUTPUT" | tr '\n' ' ')" \
		'Input and output took [0-9.]+ [a-z]+ in all threads together'
	rm -f run.evt
fi

# of a shell, which is not recorded, each command is a program of its own
INTERCEPT_CHILDREN=all run_traced sh -c 'sleep 0.1; sort /dev/null; true' || fail "status $?"
expect_match "several programs" "$("$REPORT" --wait 30 "$OUTPUT" | head -n 1)" '^sleep 0.1 and 1 more program ran '
rm -f run.evt*

# Python without anything of torch: lines answer, and with too few samples the sentence is how to have more
if "${PYTHON:-python3}" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
	burn='import time
def burn():
    end = time.process_time() + 0.6
    while time.process_time() < end: sum(range(100))
burn()'
	INTERCEPT_SAMPLE=1000 run_traced "${PYTHON:-python3}" -c "$burn" || fail "status $?"
	one=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
	expect_match "lines of Python" "$one" '. % of the CPU time: <string>:4 \(burn\), called from <string>:5 \([0-9]+ samples\)\. '
	[[ $one != *"Nothing recorded"* && $one != *"the rest went to was not recorded"* ]] || fail "nothing is known beside lines: $one"
	expect_match "what is next" "$one" 'prof-report lines '
	rm -f run.evt
	# without site: on a busy machine its imports may be so long that they are what the time went to
	INTERCEPT_SAMPLE=0 run_traced "${PYTHON:-python3}" -I -S -c "$burn" || fail "status $?"
	expect_match "no samples" "$("$REPORT" "$OUTPUT" | tr '\n' ' ')" \
		'range or CUDA call\. No samples were taken \(INTERCEPT_SAMPLE=1000 takes them of CPython 3\.8 to 3\.14\)\. '
	rm -f run.evt
	# where there can be none no number of samples is advised
	if "$PROGRAMS/confine" eperm process_vm_readv env INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "${PYTHON:-python3}" -I -S -c "$burn"; then
		for part in --format=table --time=..500ms; do
			one=$("$REPORT" "$part" --wait 30 "$OUTPUT" | tr '\n' ' ')
			expect_match "samples are refused" "$one" 'MISSING in process [0-9]+: no Python stack was sampled: the kernel does not let the collector read'
			[[ $one != *INTERCEPT_SAMPLE* ]] || fail "samples are advised where there can be none: $one"
		done
		[[ $("$REPORT" lines "$OUTPUT") != *INTERCEPT_SAMPLE* ]] || fail "lines advise samples where there can be none"
	else
		(($? == 77)) || fail "status $?"
	fi
	rm -f run.evt
	INTERCEPT_SAMPLE=20 run_traced "${PYTHON:-python3}" -I -S -c "$burn" || fail "status $?"
	for ((end = 200; end < 60000; end += 40)); do # so long that the collector has looked, once or twice
		(($(json lines "$OUTPUT" 'totals["samples"]' --time ..${end}ms) > 0)) && break
	done
	expect_match "too few samples" "$("$REPORT" --time ..${end}ms "$OUTPUT" | tr '\n' ' ')" \
		'range or CUDA call, and too few samples \(INTERCEPT_SAMPLE=1000 takes more\)\. '
	rm -f run.evt
	# many looks at a program that waits do not make the few that saw it run an answer
	was_looked_at() {
		(($(json lines "$OUTPUT" 'totals["samples"]' --live 2>/dev/null || echo 0) >= 100))
	}
	mkfifo hold
	INTERCEPT_SAMPLE=50 run_traced "${PYTHON:-python3}" -c 'input()' <hold &
	pid=$!
	exec 3>hold
	eventually "100 looks" was_looked_at
	echo >&3
	exec 3>&-
	wait $pid || fail "status $?"
	one=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
	[[ $one != *"lines in the run"* && $one != *"by CPU time (5"* ]] || fail "shares of a few looks: $one"
	rm -f run.evt
	# with Python's stacks few blocks have a module: it is not the one that most is for
	INTERCEPT_STACKS=python run_traced "${PYTHON:-python3}" -c 'x = [bytearray(1000000) for _ in range(60)]' || fail "status $?"
	one=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
	[[ ! $one =~ [KM]iB\ of\ it\ for ]] || fail "a module with little of the heap: $one"
	rm -f run.evt
	# what the machinery of imports takes is said of imports
	"${PYTHON:-python3}" -c 'print("x = [", *(f"lambda: ({k}, {k}.5)," for k in range(60000)), "]", sep="\n")' >large.py
	PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 INTERCEPT_SAMPLE=1000 run_traced "${PYTHON:-python3}" -c 'import large' || fail "status $?"
	one=$("$REPORT" lines --limit 1 "$OUTPUT" | tr '\n' ' ')
	expect_match "lines of an import" "$one" '[(]imports[)]'
	expect_match "lines of an import, all frames" "$("$REPORT" lines --frames all --limit 1 "$OUTPUT" | tr '\n' ' ')" 'frozen'
	one=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
	[[ $one != *"frozen importlib"* ]] || fail "the machinery of imports is a line to look at: $one"
	expect_match "imports" "$one" 'Imports of Python modules took .* of it for large'
	rm -f run.evt
fi

INTERCEPT_TRACE=nvtx run_traced "$PROGRAMS/captured" || fail "status $?"
expect_match "summary without the heap" "$("$REPORT" "$OUTPUT")" 'INTERCEPT_TRACE was without alloc'
expect_match "alloc without the heap" "$("$REPORT" alloc "$OUTPUT")" \
	'^no allocation was recorded: INTERCEPT_TRACE was without alloc;'

expect_match "summary of a recording without its end" "$("$REPORT" "$ROOT/tests/golden/cut.evt" 2>/dev/null | tr '\n' ' ')" \
	'The recording of counts [^:]* is cut off after [0-9.]+ ms; it used at least'
expect_match "summary of a process that was killed" "$("$REPORT" "$ROOT/tests/golden/killed.evt")" 'used at least [0-9.]+ [mu]?s of CPU time'
