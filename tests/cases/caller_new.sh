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
