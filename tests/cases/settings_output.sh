#!/bin/bash
# INTERCEPT_OUTPUT: patterns, the default name, and a relative path.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
INTERCEPT_OUTPUT="$PWD/%p-%h-%e.evt" LD_PRELOAD=$LIB "$PROGRAMS/empty" &
pid=$!
wait $pid
name=$pid-$(uname -n)-empty.evt
eventually "a file '$name' ($(ls))" test -s "$name"
expect "$PWD/$name" "processes.rows[0].pid == $pid"
LD_PRELOAD=$LIB "$PROGRAMS/empty" || fail "status $?"
eventually "run.evt ($(ls))" test -s run.evt
RANK=3 INTERCEPT_OUTPUT="r%r.evt" LD_PRELOAD=$LIB "$PROGRAMS/empty" || fail "status $?"
eventually "r3.evt ($(ls))" test -s r3.evt
mkdir sub
INTERCEPT_OUTPUT=sub/x.evt LD_PRELOAD=$LIB "$PROGRAMS/empty" || fail "status $?"
expect "$PWD/sub/x.evt" 'len(processes.rows) == 1'
# Each recorded program of a session expands the pattern for itself: a file a rank.
INTERCEPT_OUTPUT='r%r.evt' LD_PRELOAD=$LIB bash -c 'RANK=0 python3 -c 1 & RANK=1 python3 -c 1 & wait'
expect_eq "files of two ranks" "$(echo r[01].evt)" "r0.evt r1.evt"
