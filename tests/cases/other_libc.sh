#!/bin/bash
# Programs of another libc (musl) run as without us, alone and between programs that are recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool musl-gcc
need_program any_libc
source=$ROOT/tests/programs/any_libc.c
musl-gcc -O2 -o any_musl "$source" -pthread || fail "musl-gcc cannot build $source"

# alone: said in one line, nothing is written
ALLOWED_LINES=1 same_as_bare ./any_musl
expect_eq "status" "$status" 21
expect_match "what is said" "$(cat traced.err)" "^intercept: 'any_musl' is not linked with glibc"
[[ ! -e $OUTPUT ]] || fail "a file of a program that was not recorded"
# dormant, as a child of a recorded program: nothing to say
for children in auto all none; do
	rm -f run.evt*
	INTERCEPT_CHILDREN=$children same_as_bare "$PROGRAMS/any_libc" ./any_musl
	expect_eq "status" "$status" 21
	expect "$OUTPUT" 'len(processes.rows) == 2' 'alloc.totals.allocations >= 40000'
done
# what it becomes is recorded as ever; the kernel counts the CPU time of both as one (docs/LIMITS.md), so the second one lives longer
rm -f run.evt*
ALLOWED_LINES=1 same_as_bare ./any_musl python3 -c 'import time; time.sleep(1); print("hello")'
expect "$OUTPUT" 'processes.rows[0].command.endswith("print(\"hello\")")' 'processes.rows[0].exit_status == 0'
