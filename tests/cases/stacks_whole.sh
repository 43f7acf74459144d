#!/bin/bash
# Native stacks of all that a program does: constructors, destructors of threads, exceptions, 10000 threads, handlers. None is lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program lifetimes
need_program exceptions
need_program threads
export INTERCEPT_STACKS=native

none_lost() { # WHAT: all allocations have a stack, and `check` is content
	"$REPORT" check "$OUTPUT" >check.txt || fail "$1: check: $(cat check.txt)"
	"$REPORT" dump "$OUTPUT" >dump.txt
	expect_eq "$1: stacks lost" "$(grep -c ' lost .*reason=13' dump.txt)" 0
	expect_eq "$1: allocations without stack" "$(grep ' malloc ptr=' dump.txt | grep -vc ' stack=0x')" 0
	(($(grep -c ' malloc ptr=.* stack=0x' dump.txt) > 0)) || fail "$1: no allocation has a stack"
}

"$PROGRAMS/lifetimes" >bare.txt
run_traced "$PROGRAMS/lifetimes" >traced.txt || fail "lifetimes: status $?"
diff bare.txt traced.txt || fail "lifetimes: another output"
none_lost lifetimes

"$PROGRAMS/exceptions" >bare.txt
run_traced "$PROGRAMS/exceptions" >traced.txt || fail "exceptions: status $?"
diff bare.txt traced.txt || fail "exceptions: another output"
none_lost exceptions

# a try in which the collector got no turn for a second has lost whole threads, and counted them
run_traced "$PROGRAMS/threads" sequence 10000 >out.txt || fail "threads: status $?"
none_lost "10000 threads"
expect "$OUTPUT" 'sum(r.allocations == 3 for r in threads.rows) + summary.totals.events_lost // 4 >= 10000'

# the handler forks: what its child was interrupted in is recorded by the parent only
run_traced "$PROGRAMS/handlers" fork >out.txt || fail "handlers: status $?"
"$REPORT" check "$OUTPUT" >check.txt || fail "handlers: check: $(cat check.txt)"
expect_eq "stacks lost by children" "$("$REPORT" dump "$OUTPUT" | grep -c ' lost .*reason=13')" 0
