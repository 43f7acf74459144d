#!/bin/bash
# The caller of an allocation is who called operator new or xmalloc, at any place of the stack.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program caller_new
printf '%s\n' 2.35 "$(getconf GNU_LIBC_VERSION | awk '{ print $2 }')" | sort -CV ||
	skip "glibc before 2.35 has no _dl_find_object(): nothing is skipped"
run_traced "$PROGRAMS/caller_new" || fail "caller_new: status $?"
json alloc run.evt \
	"sorted(r['allocations'] for r in rows if r['caller'].startswith('caller_new+'))" --by caller >counts
expect_eq "blocks by caller" "$(cat counts)" "[1000, 2000, 3000, 4000, 5000, 6000, 7000]"
# one call at libstdc++'s start, made by its constructor, is its own
expect_between "blocks by libstdc++" \
	"$(json alloc run.evt "sum(r['allocations'] for r in rows if 'libstdc++' in r['caller'])" --by caller)" 0 1

# Perl's front of malloc() is none: who asked for the array is
if perl -e 1 2>/dev/null && nm -D "$(command -v perl)" 2>/dev/null | grep -q ' T Perl_safesysmalloc$'; then
	rm -f run.evt
	INTERCEPT_CHILDREN=all run_traced perl -e '@a = map { [1, 2, 3] } 1..3000; print scalar @a' >out || fail "perl: status $?"
	expect_eq "what perl printed" "$(cat out)" 3000
	json alloc run.evt "[(r['function'], r['allocations']) for r in rows if r['function']]" --by function --limit 0 >rows
	[[ $(cat rows) != *safesys* ]] || fail "Perl's own front of malloc() is a caller: $(cat rows)"
	expect_between "arrays that Perl made" \
		"$(json alloc run.evt "sum(r['allocations'] for r in rows if r['function'] == 'Perl_av_make')" --by function --limit 0)" 3000 3100
fi
