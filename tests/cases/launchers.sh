#!/bin/bash
# Shells and launchers pass the place on to what they exec or start: the first program has run.evt.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
try() { # COMMAND...
	rm -f ./*.evt
	run_traced "$@" >out 2>err
	expect_eq "exit status of $*" $? 21
	expect_eq "standard error of $*" "$(cat err)" ''
	eventually "the file of $*" test -s "$OUTPUT"
	expect_eq "files of $*" "$(echo ./*.evt)" ./run.evt
	expect "$OUTPUT" 'processes.rows[0].exit_status == 21' 'alloc.totals.allocations >= 200' \
		"'$wanted' in processes.rows[0].command"
}
wanted=hostile
try bash -c "exec $PROGRAMS/hostile"
try bash -c "$PROGRAMS/hostile"
try env A=1 "$PROGRAMS/hostile"
try nice -n 1 "$PROGRAMS/hostile"
try env bash -c "nice $PROGRAMS/hostile"
command -v taskset >/dev/null && try taskset -c 0 "$PROGRAMS/hostile"
command -v stdbuf >/dev/null && try stdbuf -oL "$PROGRAMS/hostile"
# A rank that has nothing to draw, as torchrun's own process: readers of traces (HTA) want a duration in each file.
RANK=1 WORLD_SIZE=2 try nice -n 1 "$PROGRAMS/hostile"
mkdir traces
"$REPORT" export chrome "$OUTPUT" -o traces/ 2>err || fail "export chrome: $(cat err)"
python3 -S -c 'import glob, gzip, json
spans = [event for event in json.load(gzip.open(*glob.glob("traces/*")))["traceEvents"] if event["ph"] == "X"]
assert len(spans) == 1 and spans[0]["dur"] > 0, spans' || fail "its trace has no span"
# What a launcher starts in a pid of its own is recorded if it is of interest, as Python is.
wanted=python3
python="python3 -c 'import sys; sys.exit(21)'"
try bash -c "$python"
try sh -c "$python; exit \$?"
try timeout 600 python3 -c 'import sys; sys.exit(21)'
try bash -c "ls >/dev/null; timeout 600 nice sh -c \"$python; exit \\\$?\"; exit \$?"
# A path relative to the directory of the command works for its children elsewhere, too.
rm -f ./*.evt
mkdir -p elsewhere lib
cp "$LIB" "$COLLECTOR" lib/
INTERCEPT_OUTPUT=here.evt LD_PRELOAD=lib/libintercept.so bash -c "cd elsewhere; $PROGRAMS/hostile" >out 2>err
expect_eq "exit status with a relative path" $? 21
expect_eq "standard error with a relative path" "$(cat err)" ''
expect "$(find "$PWD" -name here.evt)" 'sized(3003) == 200'
