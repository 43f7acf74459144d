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
	expect_eq "files of $*" "$(echo ./*.evt)" ./run.evt
	expect "$OUTPUT" 'sized(3003) == 200' \
		"'hostile' in processes.rows[0].command"
}
try bash -c "exec $PROGRAMS/hostile"
try bash -c "$PROGRAMS/hostile"
try sh -c "$PROGRAMS/hostile; exit \$?"
try env A=1 "$PROGRAMS/hostile"
try nice -n 1 "$PROGRAMS/hostile"
try timeout 20 "$PROGRAMS/hostile"
try env bash -c "timeout 20 nice sh -c '$PROGRAMS/hostile'"
command -v taskset >/dev/null && try taskset -c 0 "$PROGRAMS/hostile"
command -v stdbuf >/dev/null && try stdbuf -oL "$PROGRAMS/hostile"
# A path relative to the directory of the command works for its children elsewhere, too.
rm -f ./*.evt
mkdir -p elsewhere lib
cp "$LIB" "$COLLECTOR" lib/
INTERCEPT_OUTPUT=here.evt LD_PRELOAD=lib/libintercept.so bash -c "cd elsewhere; $PROGRAMS/hostile" >out 2>err
expect_eq "exit status with a relative path" $? 21
expect_eq "standard error with a relative path" "$(cat err)" ''
expect "$(find "$PWD" -name here.evt)" 'sized(3003) == 200'
