#!/bin/bash
# Low limits that are there before the program starts: it runs as it does without us.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
try() { # LIMIT ARGUMENT
	rm -f run.evt
	(ulimit "$1" "$2" && exec "$PROGRAMS/hostile") >bare.out 2>bare.err
	bare=$?
	((bare != 127)) || return 0 # the dynamic linker cannot work with that, whoever is there
	(ulimit "$1" "$2" && INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB exec "$PROGRAMS/hostile") >out 2>err
	expect_eq "exit status with ulimit $1 $2" $? $bare
	cmp -s bare.out out || fail "output with ulimit $1 $2: $(cat out)"
	(($(wc -l <err) <= 1)) || fail "more than a line with ulimit $1 $2: $(cat err)"
	grep -qv '^intercept: ' err && fail "standard error with ulimit $1 $2: $(cat err)"
	return 0
}
try -v 20000 # less than the region
try -v 200000
try -n 4
try -n 3
try -u 1
try -f 1
try -s 256
try -d 1000 # the library's own data is small
try -d 500
size -A "$LIB" | awk '/^[.](data|bss|tbss|tdata) / { sum += $2 } END { exit sum > 222 * 1024 }' ||
	fail "data of the library: $(size "$LIB")"
# Enough of everything again: nothing is lost.
try -v 400000
expect "$OUTPUT" 'sized(3003) == 200'
# With few slots for the texts that were sent they are sent again, and all arrive.
need_program captured
rm -f run.evt
(ulimit -d 60000 && run_traced "$PROGRAMS/captured") || fail "status $?"
expect "$OUTPUT" '{row["name"]: row["count"] for row in nvtx.rows} == {"outside": 3, "wanted": 3, "inner": 3}'
