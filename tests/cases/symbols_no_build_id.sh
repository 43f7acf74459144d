#!/bin/bash
# A file without a build-id names functions as long as it has not been changed since it was recorded; then it may be another build.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

command -v gcc >/dev/null || skip "no gcc"
build() { # NAME of its function
	cat >subject.c <<-END
		#include <stdlib.h>
		__attribute__((noinline)) char *$1(size_t size) { char *block = malloc(size); block[0] = 1; return block; }
		int main(void) { for (int i = 0; i < 10; i++) $1(5000); }
	END
	gcc -g -O1 -Wl,--build-id=none subject.c -o subject 2>err || skip "gcc: $(cat err)"
}
functions() { # FILE...: who called malloc(5000)
	"$REPORT" alloc --by function --format csv --columns function,allocations "$@" | grep -v '^function' | grep ',10$' | sort | tr '\n' ' '
}

export INTERCEPT_STACKS=native
build first
OUTPUT=first.evt run_traced ./subject
expect_eq "as it was" "$(functions first.evt)" "first,10 "
"$REPORT" symbolize first.evt >out 2>err || fail "symbolize: $(cat err)"

build second # at the same addresses
OUTPUT=second.evt run_traced ./subject
expect_eq "the new one" "$(functions second.evt)" "second,10 "
expect_eq "the old one" "$(functions first.evt)" "[subject],10 "
expect_eq "both" "$("$REPORT" alloc --by function --format csv --columns function,allocations first.evt second.evt 2>&1 | grep -c '\[subject\],10$\|,second,10$')" 2
expect_eq "symbolized" "$(functions first.symbols.evt)" "first,10 "
"$REPORT" alloc --by function first.evt >out || fail "status $?"
tr '\n' ' ' <out | grep -qF 'subject has no build-id and was changed since' || fail "nothing said: $(cat out)"
"$REPORT" alloc --by function second.evt >out || fail "status $?"
! grep -q 'no functions of' out || fail "said of the one that was recorded: $(cat out)"
