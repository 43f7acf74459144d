#!/bin/bash
# A link as output is what it leads to: the file, older ones and those of children are there, and it is named.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exits
need_program empty
mkdir disk
ln -s disk/data.evt run.evt
INTERCEPT_VERBOSE=1 run_traced "$PROGRAMS/exits" return 5 2>err || fail "status $?: $(cat err)"
expect_match "what is said" "$(cat err)" "^intercept: recording .* of 'exits' into '$PWD/disk/data\.evt'$"
expect "$OUTPUT" 'alloc.totals.allocations == 5' "[file.path for file in summary.files] == ['$PWD/disk/data.evt']"
run_traced "$PROGRAMS/exits" return 6 || fail "status $?"
expect "$OUTPUT" 'alloc.totals.allocations == 6'
expect "$PWD/disk/data.evt.1" 'alloc.totals.allocations == 5'
[[ -L run.evt ]] || fail "the link was moved"
# What is no recording gives way as it does without a link, and is not lost.
echo precious >disk/data.evt
run_traced "$PROGRAMS/exits" return 7 || fail "status $?"
expect "$OUTPUT" 'alloc.totals.allocations == 7'
expect_eq "what was there" "$(cat disk/data.evt.1)" precious
expect_eq "files" "$(find . -name '*.evt*' | sort | tr '\n' ' ')" \
	'./disk/data.evt ./disk/data.evt.1 ./disk/data.evt.2 ./run.evt '
# The children of a session.
rm disk/*
inner="import sys; x = [bytearray(4444) for _ in range(50)]; sys.exit(9)"
run_traced python3 -c "import subprocess, sys; subprocess.run([sys.executable, '-c', '$inner'])" || fail "status $?"
expect_eq "files of a session" "$(find disk -name 'data*.evt' | wc -l)" 2
expect "$OUTPUT" 'len(processes.rows) == 2' 'len(summary.files) == 2'
expect_eq "files beside the link" "$(find . -maxdepth 1 -name '*.evt*')" ./run.evt

# prof-report names what it could not read.
echo notes >disk/notes
ln -s disk/notes notes.evt
"$REPORT" summary notes.evt 2>err && fail "notes are a recording"
expect_match "what is no recording" "$(cat err)" "^prof-report: '$PWD/disk/notes' is not a recording of intercept"
# A name for one recording of many.
ln -s disk/data.evt latest.evt
expect latest.evt 'len(processes.rows) == 2'

# Taken by somebody: where it is then is said, to whoever asks.
rm -f disk/* run.evt
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB sleep 3000 &
pid=$!
trap 'kill $pid 2>/dev/null' EXIT
for ((i = 0; i < looks; i++)); do [[ -s run.evt ]] && break; sleep 0.1; done
INTERCEPT_VERBOSE=1 run_traced "$PROGRAMS/empty" 2>err || fail "status $?"
beside=$(find "$PWD" -name 'run.*.evt')
expect_eq "what is said of one beside" "$(cat err)" \
	"intercept: recording alloc,nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc of 'empty' into '$beside'"
