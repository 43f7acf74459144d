#!/bin/bash
# closefrom, chdir, umask, chroot, limits and the like, done by the program to itself: nothing is lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
for how in closefrom close dup2 chdir umask nofile fsize as dumpable clearenv name chroot; do
	rm -f run.evt
	"$PROGRAMS/hostile" $how | cat >bare.out
	bare=${PIPESTATUS[0]}
	[[ $bare == 21 ]] || continue # it may not do that here
	run_traced "$PROGRAMS/hostile" $how 2>err | cat >out
	expect_eq "exit status after '$how'" "${PIPESTATUS[0]}" 21
	cmp -s out bare.out || fail "output after '$how': $(cat out)"
	expect_eq "standard error after '$how'" "$(cat err)" ''
	expect "$OUTPUT" 'sized(3003) == 200' \
		'processes.rows[0].exit_status == 21' 'summary.totals.events_lost == 0'
	expect_eq "mode of the file after '$how'" "$(stat -c %a "$OUTPUT")" 600
done
