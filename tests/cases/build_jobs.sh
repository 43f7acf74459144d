#!/bin/bash
# make builds with all cores, unless it is told how many jobs there are to be; goals come one after the other.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

jobs() { # OPTION... : the jobs that a recipe finds
	make -s -C "$ROOT" O="$BUILD" --no-print-directory --eval 'show: ; @printenv MAKEFLAGS' --eval 'nothing: ;' "$@" 2>err |
		grep -oE -- '-j ?[0-9]+' | tr -d ' '
}
expect_eq "jobs" "$(jobs show)" "-j$(nproc)"
expect_eq "jobs that the caller asks for" "$(jobs -j3 show)" -j3
expect_eq "one job" "$(jobs -j1 show)" -j1
expect_eq "jobs of two goals" "$(jobs nothing show)" ''
# below another make its jobs are shared, and no job server is made anew
cat >Makefile <<END
all: ; +@make -s -C "$ROOT" O="$BUILD" --no-print-directory --eval 'show: ; @echo done' show
END
make -s -j2 >out 2>err || fail "a make below a make: $(cat err)"
expect_eq "a make below a make" "$(cat out err)" "done"
