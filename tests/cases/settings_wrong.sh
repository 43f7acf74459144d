#!/bin/bash
# Wrong INTERCEPT_ values: one line each that names variable, value and what is allowed; the program runs.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
try() { # NAME VALUE
	rm -f ./run.evt*
	env "$1=$2" INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "$PROGRAMS/hostile" >out 2>err
	expect_eq "exit status with $1=$2" $? 21
	expect_eq "output with $1=$2" "$(cat out)" 'done'
	expect_eq "lines with $1=$2 ($(cat err))" "$(wc -l <err)" 1
	expect_match "line with $1=$2" "$(cat err)" "^intercept: .*$1"
	[[ $(cat err) == *"$2"* ]] || fail "the line does not name the value '$2': $(cat err)"
}
try INTERCEPT_TRACE nonsense
try INTERCEPT_TRACE +nonsense
try INTERCEPT_TRACE python # a family that is not built
try INTERCEPT_BUFFER many
try INTERCEPT_BUFFER 12
try INTERCEPT_FULL maybe
try INTERCEPT_CHILDREN some
try INTERCEPT_KEEP -1
try INTERCEPT_CAPTURE sometimes
try INTERCEPT_CAPTURE steps # INTERCEPT_SCHEDULE does that
try INTERCEPT_SCHEDULE 1,1,3
try INTERCEPT_SCHEDULE wait=1,active=0
try INTERCEPT_MAX_FILE lots
try INTERCEPT_VERBOSE loud
try INTERCEPT_REDACT everything
try INTERCEPT_STACKS all
