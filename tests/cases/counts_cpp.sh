#!/bin/bash
# Every operator new and delete is one heap call.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cppheap
OUTPUT=$PWD/none.evt run_traced "$PROGRAMS/cppheap" none.json 0 || fail "cppheap: status $?"
OUTPUT=$PWD/run.evt
run_traced "$PROGRAMS/cppheap" expected.json 100 || fail "cppheap: status $?"
for key in allocations bytes_allocated frees bytes_freed frees_unmatched temporary_allocations; do
	none=$(json alloc none.evt "totals['$key']")
	got=$(json alloc run.evt "totals['$key']")
	wanted=$(python3 -S -c "import json; print(json.load(open('expected.json'))['totals']['$key'])")
	expect_eq "$key" $((got - none)) "$wanted"
done
