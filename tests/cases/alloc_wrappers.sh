#!/bin/bash
# A program's own front of malloc() is no answer to who allocates: its caller is. Found in the recording, not by a name.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program alloc_wrapper
export INTERCEPT_CHILDREN=all
INTERCEPT_STACKS=native run_traced "$PROGRAMS/alloc_wrapper" || fail "status $?"

line_of() { grep -n "$1" "$ROOT/tests/programs/alloc_wrapper.c" | head -1 | cut -d: -f1; }
kept=alloc_wrapper.c:$(line_of '/\* kept \*/')
most() { json "$1" "$OUTPUT" "max(rows, key=lambda r: r['$2'])['$3']" "${@:4}"; }
expect_match "line of what is never freed" "$(most leaks bytes line --by line)" "$kept\$"
expect_match "its caller" "$(most leaks bytes called_from --by line)" "alloc_wrapper.c:$(line_of 'titles_read(i);')\$"
expect_match "the front behind it" "$(most leaks bytes library --by line)" 'alloc_wrapper.c:[0-9]+ claim_or_die$'
expect_eq "function" "$(most leaks bytes function --by function)" titles_read
expect_eq "function of its stack" "$(most leaks bytes function)" titles_read
expect_match "line at the peak" "$(most peak bytes line --by line)" "$kept\$"
expect_match "line that allocates most" "$(most alloc bytes_allocated line --by line)" "$kept\$"
front="sum(r['allocations'] for r in rows if r['function'] in ('claim', 'claim_or_die', 'enlarge'))"
expect_eq "blocks of the front" "$(json alloc "$OUTPUT" "$front" --by function)" 0
expect_eq "functions" "$(json alloc "$OUTPUT" "sum(r['function'].endswith('s_read') for r in rows)" --by function)" 6
expect_eq "blocks of the front, of all frames" "$(json alloc "$OUTPUT" "$front" --by function --frames all)" 11000
all="sum(r['bytes_allocated'] for r in rows)"
expect_eq "all bytes" "$(json alloc "$OUTPUT" "$all" --by line)" "$(json alloc "$OUTPUT" "$all" --by line --frames all)"
expect_match "the first answer" "$(json bottleneck "$OUTPUT" "[(r['id'], r['line'], r['function']) for r in rows][0]")" "leak', .*$kept', 'titles_read'"

# callers only: nobody knows who called the front, and that is said
rm -f "$OUTPUT"
run_traced "$PROGRAMS/alloc_wrapper" || fail "status $?"
said=$("$REPORT" leaks "$OUTPUT" | tr '\n' ' ')
expect_match "what is said of callers" "$said" 'the caller: record with +INTERCEPT_STACKS=native'
expect_match "the first answer with callers only" "$("$REPORT" bottleneck "$OUTPUT" | tr '\n' ' ')" 'claim_or_die.*Its +callers +were +not +recorded: +INTERCEPT_STACKS=native'

# a function that makes one kind of thing, for many, is an answer
rm -f "$OUTPUT"
INTERCEPT_STACKS=native run_traced "$PROGRAMS/alloc_wrapper" plain || fail "status $?"
expect_eq "who makes items" "$(most alloc allocations function --by function)" item_new
exit 0
