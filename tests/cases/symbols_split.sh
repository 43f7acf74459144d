#!/bin/bash
# What is not known because a .dwo file (-gsplit-dwarf) was not there at the first look is asked again when it is.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

command -v gcc >/dev/null || skip "no gcc"
export PROF_REPORT_CACHE=$PWD/cache
cat >split.c <<'END'
#include <stdlib.h>
static inline __attribute__((always_inline)) char *inner(void) { return malloc(7777); }
__attribute__((noinline)) char *outer(void)
{
	char *block = inner();
	__asm__ volatile("" : : "r"(block) : "memory");
	return block;
}
int main(void) { free(outer()); return 0; }
END
gcc -g -O2 -gsplit-dwarf split.c -o split 2>err || skip "gcc cannot split debug information: $(cat err)"
compgen -G '*.dwo' >/dev/null || skip "gcc makes no .dwo file"
run_traced ./split
place() {
	json alloc "$OUTPUT" '" ".join("%s@%s" % (row["function"], row["line"]) for row in rows if row["bytes_allocated"] == 7777)'
}

mkdir away
mv ./*.dwo away
expect_eq "without the .dwo file" "$(place)" outer@None
expect_eq "the same again" "$(place)" outer@None
mv away/*.dwo .
wanted=inner@$PWD/split.c:2
expect_eq "with the .dwo file" "$(place)" "$wanted"
mv ./*.dwo away
expect_eq "from the cache" "$(place)" "$wanted"

# a recording that was symbolized meanwhile: what it has poorly is asked again, and says how to have it better
export PROF_REPORT_CACHE=off
"$REPORT" symbolize "$OUTPUT" >out 2>err || fail "symbolize: $(cat err)"
expect_match "what is said" "$(cat out err)" 'no lines of [1-9][0-9]* address(es)?: \.dwo files are not there; symbolize again where they are'
OUTPUT=${OUTPUT%.evt}.symbols.evt
expect_eq "symbolized without the .dwo file" "$(place)" outer@None
mv away/*.dwo .
expect_eq "where the .dwo file is" "$(place)" "$wanted"
"$REPORT" symbolize "$OUTPUT" >out 2>err || fail "symbolize again: $(cat err)"
[[ $(cat out err) != *dwo* ]] || fail "nothing is missing: $(cat out err)"
mv split ./*.dwo away
expect_eq "without program and .dwo file" "$(place)" "$wanted"
text=$("$REPORT" alloc "$OUTPUT") || fail "status $?"
[[ $text != *"no functions of"* ]] || fail "nothing is missing: $text"
