#!/bin/bash
# Long chains of functions in trees: a row says where it begins and how many follow, and top-down where the tree goes on.
# SPDX-License-Identifier: MIT
# timeout: 240
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >chain.py <<'END'
kept = []


def the_function_that_asks_for_all_of_it():
    kept.append(bytearray(50_000_000))


def its_only_caller():
    the_function_that_asks_for_all_of_it()


def the_caller_of_that_one():
    its_only_caller()


def the_outermost_function():
    the_caller_of_that_one()


the_outermost_function()
END
python=$(torch_python) || skip "no Python that is known"
export INTERCEPT_STACKS=python INTERCEPT_SAMPLE=0
OUTPUT=$PWD/chain.evt run_traced "$python" chain.py >out 2>&1 || fail "status $?: $(cat out)"
"$REPORT" check chain.evt >out || fail "check: $(cat out)"
"$REPORT" flame --format folded chain.evt | grep -q 'the_outermost_function;the_caller_of_that_one;its_only_caller;the_function_that_asks_for_all_of_it ' ||
	fail "the stacks of Python are others: $("$REPORT" flame --format folded chain.evt | head -n 3)"

"$REPORT" bottom-up chain.evt >out || fail "status $?"
grep -qE '^the_function_that_asks_for_all_of_it < 4 more +4[0-9]' out || fail "bottom-up: $(cat out)"
"$REPORT" top-down chain.evt >out || fail "status $?"
grep -qE '^ *the_outermost_function > the_caller_of_that_one > 1 more > the_function_that_asks_for_all_of_it +4[0-9]' out || fail "top-down: $(cat out)"
# what other programs read is whole
expect_eq "levels of the tree in JSON" \
	"$(json bottom-up chain.evt "max(row['depth'] for row in rows) >= 4")" true
