#!/bin/bash
# A constructor may make the first malloc() while libc holds any of its locks.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program first_malloc
holders=$(grep -oE '\{ "[a-z]+", hold_' "$ROOT/tests/programs/libfirst_malloc.c" | cut -d'"' -f2)
expect_eq "locks that are tried" "$(echo "$holders" | wc -l)" 16
for holder in $holders; do
	export FIRST_MALLOC=$holder
	timeout 600 "$PROGRAMS/first_malloc" >bare.out </dev/null || fail "$holder, bare: status $?"
	for setting in CHILDREN=auto TRACE=nvtx CHILDREN=none; do
		env "INTERCEPT_$setting" INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" \
			timeout --foreground 20 "$PROGRAMS/first_malloc" >traced.out 2>traced.err </dev/null ||
			fail "$holder, INTERCEPT_$setting: status $?: $(cat traced.err)"
		cmp bare.out traced.out || fail "$holder, INTERCEPT_$setting: another output"
		expect_eq "$holder, INTERCEPT_$setting" "$(cat traced.err)" ''
	done
done
