#!/bin/bash
# Closed standard input, output and error: the program runs, the descriptors stay closed to it, the file is there.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
same() { # LABEL STATUS
	expect_eq "exit status with $1" "$2" "$3"
	expect "$OUTPUT" 'sized(3003) == 200' 'summary.totals.events_lost == 0'
	rm -f "$OUTPUT"
}
run_traced "$PROGRAMS/hostile" <&- >out 2>err
same "no standard input" $? 21
expect_eq output "$(cat out err)" 'done'
run_traced "$PROGRAMS/hostile" >&- 2>err
same "no standard output" $? 20
expect_eq "standard error" "$(cat err)" ''
run_traced "$PROGRAMS/hostile" <&- >&- 2>&-
same "no standard stream" $? 20
# The first descriptor that the program opens is the one it would have been.
same_as_bare python3 -c 'import os; print(os.open("/dev/null", 0), os.open("/", 0))' <&-
