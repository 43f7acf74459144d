#!/bin/bash
# The library alone, without its collector: the program runs, one line says what is missing, no file.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
mkdir alone
cp "$LIB" alone/
LIB=$PWD/alone/libintercept.so
ALLOWED_LINES=1 same_as_bare "$PROGRAMS/hostile"
expect_eq "exit status" "$status" 21
expect_match "the line" "$(cat traced.err)" '^intercept: .*intercept-collector'
[[ ! -e $OUTPUT ]] || fail "a file was made"
expect_eq files "$(find . -name '*.evt*' | wc -l)" 0
# One that cannot be run is as good as none.
echo garbage >alone/intercept-collector
chmod 755 alone/intercept-collector
ALLOWED_LINES=1 same_as_bare "$PROGRAMS/hostile"
