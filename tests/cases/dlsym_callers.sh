#!/bin/bash
# dlsym() answers as without us: to whoever asks, from wherever, whatever was preloaded beside us, and its errors are its own.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program dlsym_callers
compare() { # WHAT PRELOADED [VARIABLE=VALUE...]
	local what=$1 preloaded=$2
	shift 2
	env "$@" INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$preloaded" timeout --foreground 60 "$PROGRAMS/dlsym_callers" >traced.out 2>traced.err </dev/null ||
		fail "$what: status $?: $(cat traced.err)"
	diff bare.out traced.out || fail "$what: another output"
	expect_eq "$what: said" "$(cat traced.err)" ''
}

timeout 600 "$PROGRAMS/dlsym_callers" >bare.out </dev/null || fail "bare: status $?"
expect_eq "what the library finds" "$(grep -c 'from the library: resolver, resolver.s cupti, nothing' bare.out)" 4
compare recorded "$LIB"
compare 'no GPU' "$LIB" INTERCEPT_TRACE=alloc
compare dormant "$LIB" INTERCEPT_CHILDREN=none
compare 'bound at start' "$LIB" LD_BIND_NOW=1
# whoever else is preloaded and has a dlsym() of its own, before us and behind us; it cannot answer a resolver
mkdir plain
"${CC:-cc}" -D_GNU_SOURCE -DPLAIN -w -shared -fPIC "$ROOT/tests/programs/libdlsym_resolver.c" -o plain/libdlsym_resolver.so -ldl ||
	fail "the plain library was not built"
export LD_LIBRARY_PATH=$PWD/plain
cat >other.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
static void *(*real)(void *, const char *);
void *other_original(void) { return real ? (void *)real : (void *)(real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5")); }
__asm__(".globl dlsym\n.type dlsym, @function\ndlsym:\n\tpush %rdi\n\tpush %rsi\n\tsub $8, %rsp\n\tcall other_original@PLT\n\tadd $8, %rsp\n\tpop %rsi\n\tpop %rdi\n\tjmp *%rax\n");
END
"${CC:-cc}" -shared -fPIC -w other.c -o other.so -ldl || fail "the other library was not built"
for order in "$PWD/other.so:$LIB" "$LIB:$PWD/other.so"; do
	env LD_PRELOAD="$PWD/other.so" "$PROGRAMS/dlsym_callers" >bare.out </dev/null || fail "other.so: status $?"
	compare "$order" "$order"
done
