#!/bin/bash
# Native stacks: of programs as they are, after dlclose() and another library at the same place, off, and by family.
# SPDX-License-Identifier: MIT

. "$ROOT/tests/lib.sh"

stack_of() { # SIZE: the stack of the one allocation of so many bytes
	"$REPORT" dump "$OUTPUT" | sed -n "s/.* malloc ptr=[^ ]* size=$1 .*stack=\([^ ]*\).*/\1/p"
}

export INTERCEPT_STACKS=native

same=$(run_traced "$PROGRAMS/dlclose_stacks" "$PROGRAMS/libstack_one.so" "$PROGRAMS/libstack_two.so" \
	"$PROGRAMS/libstack_one.so") || fail "dlclose_stacks failed"
first=$(stack_of 1001)
expect_match "stack" "$first" '^0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,0x[0-9a-f]+,'
if [ "$same" = 1 ]; then
	expect_eq "stack below the second library" "$(stack_of 1002)" "$first"
	expect_eq "stack below the first, again" "$(stack_of 1003)" "$first"
fi
"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"

# cut at two frames, and marked
INTERCEPT_STACKS_DEPTH=2 run_traced "$PROGRAMS/dlclose_stacks" "$PROGRAMS/libstack_one.so" >out.txt
expect_match "cut stack" "$(stack_of 1001)" '^0x[0-9a-f]+,0x[0-9a-f]+/4$'

INTERCEPT_STACKS=off run_traced "$PROGRAMS/dlclose_stacks" "$PROGRAMS/libstack_one.so" >out.txt
expect_eq "stacks when off" "$(stack_of 1001)" ""
INTERCEPT_STACKS=native,alloc:caller run_traced "$PROGRAMS/dlclose_stacks" "$PROGRAMS/libstack_one.so" >out.txt
expect_eq "stacks of a family without" "$(stack_of 1001)" ""
INTERCEPT_STACKS=alloc:native run_traced "$PROGRAMS/dlclose_stacks" "$PROGRAMS/libstack_one.so" >out.txt
expect_match "stacks of one family" "$(stack_of 1001)" '^0x'

