#!/bin/bash
# A program that has changed its root: what it opened before is still looked up where that is, and has names.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program chrooted
mkdir empty
run_traced "$PROGRAMS/chrooted" "$PROGRAMS/libinner.so" "$PWD/empty"
status=$?
((status == 77)) && skip "may neither change the root nor make a user namespace"
expect_eq "status" $status 0
written "$OUTPUT"
expect_eq "functions" "$(json alloc "$OUTPUT" '" ".join(row["function"] or "?" for row in rows if row["bytes_allocated"] == 11110)')" inner_blocks
