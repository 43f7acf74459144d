#!/bin/bash
# A program with an allocator of its own linked in, as ruff, uv and polars: reports of the heap say that they do not have it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program linked_allocator
mkfifo in
run_traced "$PROGRAMS/linked_allocator" <in >out 2>err &
exec 9>in
is_told() {
	"$REPORT" alloc --live "$OUTPUT" 2>/dev/null | grep -q '^MISSING'
}
eventually "the allocator that is linked in" is_told
exec 9>&-
wait $! || fail "status $?: $(cat err)"
expect_eq "output" "$(cat out)" "done"
for report in alloc memory summary; do
	expect_match "what $report says" "$("$REPORT" $report --wait 60 "$OUTPUT")" \
		"^MISSING in process [0-9]+: '.*/linked_allocator' has a jemalloc or tcmalloc linked in"
done
# the library itself is none of these: what it hands out goes through us
jemalloc=$(ldconfig -p | sed -n 's/.*=> \(.*\/libjemalloc\.so\.[0-9.]*\)$/\1/p' | head -1)
[[ $jemalloc ]] || exit 0
OUTPUT=$PWD/library.evt
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$jemalloc cat <in >out &
exec 9>in
has_module() {
	"$REPORT" dump --live "$OUTPUT" 2>/dev/null | grep -q ' module .*libjemalloc'
}
eventually "the module of libjemalloc" has_module
exec 9>&-
wait $! || fail "cat: status $?"
"$REPORT" summary --wait 60 "$OUTPUT" >text
! grep MISSING text || fail "libjemalloc is taken for one that is linked in"
