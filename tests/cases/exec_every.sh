#!/bin/bash
# Every call of the exec family: arguments and environment as without us, and the image ends where the next begins.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program execs
export INTERCEPT_CHILDREN=all
for call in execve execv execvp execvpe execl execlp execle execveat fexecve; do
	rm -f ./*.evt
	same_as_bare "$PROGRAMS/execs" $call
	written # nobody waits for the collector of a program that has become another one
	expect_eq "$call: status" "$status" 7
	expect "$OUTPUT" 'len(processes.rows) == 2' 'sized(6006) == 10' \
		'len([row for row in processes.rows if row.exit_status is None]) == 1' \
		'[row for row in processes.rows if row.exit_status is None][0].end_ns <= processes.row(exit_status=7).start_ns'
done
# What has failed is no end.
for call in execve execlp; do
	rm -f ./*.evt
	same_as_bare "$PROGRAMS/execs" fail $call
	expect "$OUTPUT" 'len(processes.rows) == 1' 'processes.rows[0].exit_status == 4'
done
