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

# where most of what is shown has no name, people are told what would give it one
stripped_note() { # FILE
	"$REPORT" alloc --by stack "$1" >out || fail "status $?"
	tr '\n' ' ' <out | grep -oE '[0-9]+ of [0-9]+ places have no function, most of them in [a-z0-9]+'
}
cat >many.c <<'END'
#include <stdlib.h>
#define CALL(n) __attribute__((noinline)) void call_##n(void) { char *volatile block = malloc(n); free(block); }
#define EACH(x) x(1001) x(1002) x(1003) x(1004) x(1005) x(1006) x(1007) x(1008) x(1009) x(1010) x(1011) x(1012)
EACH(CALL)
#define DO(n) call_##n();
int main(void) { EACH(DO) }
END
gcc -O1 many.c -o many 2>err || skip "gcc: $(cat err)"
INTERCEPT_STACKS=native OUTPUT=named.evt run_traced ./many
expect_eq "of a program with symbols" "$(stripped_note named.evt)" ""
strip many
INTERCEPT_STACKS=native OUTPUT=nameless.evt run_traced ./many
expect_match "of a stripped one" "$(stripped_note nameless.evt)" ' most of them in many$'
