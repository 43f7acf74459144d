#!/bin/bash
# Two calls that are one line of the source, as in a function that is inlined twice, are rows that do not read the same.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

command -v gcc >/dev/null || skip "no gcc"
cat >twice.c <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) char *twin(size_t size) { return malloc(size); }
static inline __attribute__((always_inline)) char *single(size_t size) { return malloc(size); }
__attribute__((noinline)) void use(char *block) { __asm__ volatile("" : : "r"(block) : "memory"); free(block); }
int main(void)
{
	use(twin(70001));
	use(twin(70002));
	use(single(70003));
	return 0;
}
END
gcc -g -O2 twice.c -o twice 2>err || skip "gcc: $(cat err)"
run_traced ./twice
for width in 80 200; do
	for report in alloc summary; do
		COLUMNS=$width "$REPORT" $report "$OUTPUT" >out || fail "$report: status $?"
		expect_eq "calls that are told apart, $report" "$(grep -cE '^twin \(twice.c:2\) at \+0x[0-9a-f]+ +1 ' out)" 2
		expect_eq "they differ, $report" "$(grep -oE '^twin .* at \+0x[0-9a-f]+' out | sort -u | wc -l)" 2
		expect_eq "the only one of its line, $report" "$(grep -cE '^single \(twice.c:3\) +1 ' out)" 1
	done
done
"$REPORT" alloc --symbols off "$OUTPUT" >addresses || fail "status $?"
grep -oE 'at \+0x[0-9a-f]+' out | cut -d' ' -f2 >wanted
while read -r address; do
	grep -qF "twice$address " addresses || fail "$address is no caller of --symbols off: $(cat addresses)"
done <wanted

# --by stack they are one as well, so that there is no offset to give
INTERCEPT_STACKS=native OUTPUT=native.evt run_traced ./twice
single=$(json alloc "$OUTPUT" "[r['caller'] for r in rows if r['bytes_allocated'] == 70003][0]" --symbols off)
expect_eq "offsets" "$(json alloc native.evt "sorted(set((f['function'], f['offset'] and 'twice+0x%x' % f['offset']) for r in rows for f in r['stack'] if f['line'] in (2, 3)))" --by stack)" \
	"[[\"single\", \"$single\"], [\"twin\", null]]"
expect_eq "by function they are one" "$(json alloc "$OUTPUT" "[r['allocations'] for r in rows if r['function'] == 'twin']" --by function)" "[2]"
