#!/bin/bash
# The begin of a stripped program and of its threads, in which libc has no names, is folded away; names have no versions.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_tool strip
need_program threads
strip -o stripped "$PROGRAMS/threads" || fail "cannot strip"
INTERCEPT_STACKS=native run_traced ./stripped sequence 3 >out.txt || fail "status $?"

outermost() { # [OPTION...]: module of the outermost frame of each stack
	json alloc "$OUTPUT" 'sorted({r["stack"][-1]["module"] for r in rows if r["stack"][-1]["module"]})' --by stack "$@"
}
# ld.so makes room for a thread: __libc_start_main is not below it
expect_match "outermost frames" "$(outermost)" '"stripped"'
expect_eq "of libc's" "$(outermost | grep -c 'libc[.-]')" 0
expect_match "of all, raw" "$(outermost --raw-stacks)" '"libc[.-].*"stripped"'
expect_eq "names with a version" "$(json alloc "$OUTPUT" \
	'sum("@" in (f["function"] or "") for r in rows for f in r["stack"])' --by stack --raw-stacks)" 0
