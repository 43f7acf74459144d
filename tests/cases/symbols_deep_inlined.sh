#!/bin/bash
# Functions that are inlined in each other more deeply than anybody expects: the innermost is who called, and what is left out says so.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

command -v gcc >/dev/null || skip "no gcc"

# DEPTH: step1 calls malloc() and is inlined in step2, and so on; a line each, and a block of code around each call
chain() {
	echo '#include <stdlib.h>'
	echo 'static inline __attribute__((always_inline)) char *step1(size_t size) { return malloc(size); }'
	for ((i = 2; i <= $1; i++)); do
		echo "static inline __attribute__((always_inline)) char *step$i(size_t size) { { volatile char seen = (char)size; char *block = step$((i - 1))(size); block[0] = seen; return block; } }"
	done
	echo "int main(void) { for (int i = 0; i < 3; i++) free(step$1(70001)); }"
}

innermost() { # COUNT: their names and lines, as chain() has them
	for ((i = 1; i <= $1; i++)); do echo "step$i:$((i + 1))"; done
}

# DEPTH: frames of what has called malloc(), innermost first
frames() {
	chain "$1" >deep.c
	gcc -g -O2 deep.c -o "deep$1" 2>err || skip "gcc: $(cat err)"
	INTERCEPT_STACKS=native OUTPUT=deep$1.evt run_traced "./deep$1"
	json alloc "deep$1.evt" "'\n'.join('%s:%s' % (f['function'], f['line']) for r in rows if r['bytes_allocated'] == 210003 for f in r['stack'])" --by stack
}

expect_eq "forty" "$(frames 40)" "$(innermost 40; echo main:42)"
[[ $(frames 200) == "$(innermost 62; echo "(more inlined functions):None"; echo main:202)" ]] ||
	fail "two hundred: $(frames 200)"
expect_eq "by function" "$(json alloc deep200.evt "[r['allocations'] for r in rows if r['function'] == 'step1']" --by function)" "[3]"

# the same from a file that has them in it
"$REPORT" symbolize deep200.evt >out 2>err || fail "symbolize: $(cat err)"
rm deep200
expect_eq "symbolized" "$(json alloc deep200.symbols.evt "[[f['function'] for f in r['stack']][-3:] for r in rows if r['bytes_allocated'] == 210003]" --by stack)" \
	'[["step62", "(more inlined functions)", "main"]]'
