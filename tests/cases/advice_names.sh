#!/bin/bash
# Names of files in the sentences of advice: what steers a terminal is written out, and no character is cut in two.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3
cat >small.py <<'PROGRAM'
import os

name = "\u00e9" * 60 + "bad\x1b[31m\u202e"
with open(name, "wb") as file:
    file.write(b"x" * 4096)
file = os.open(name, os.O_RDONLY)
for number in range(200000):
    os.pread(file, 1, number % 4096)
PROGRAM
INTERCEPT_TRACE=io run_traced python3 small.py 2>err || fail "small.py: $(cat err)"
# on a busy machine a start of Python that takes longer comes before it
expect_eq "advice" "$(json bottleneck "$OUTPUT" '"small_reads" in [row["id"] for row in rows]')" true
for LC_ALL in C C.UTF-8; do
	export LC_ALL
	for width in 80 200; do
		COLUMNS=$width "$REPORT" bottleneck "$OUTPUT" >out || fail "status $?"
		grep -q 'bad\\x1b' out || fail "the file is not named: $(cat -v out)"
		! grep -aqP '[\x00-\x08\x0b-\x1f\x7f]' out || fail "control characters (LC_ALL=$LC_ALL): $(cat -v out)"
		iconv -f UTF-8 -t UTF-8 out >again 2>err || fail "no UTF-8 (LC_ALL=$LC_ALL): $(cat err)"
		! grep -q $'\xe2\x80\xae' out || fail "the direction of text is turned: $(cat -v out)"
	done
	"$REPORT" bottleneck --format json "$OUTPUT" >out || fail "json: status $?"
	python3 -S -c 'import json; json.load(open("out", encoding="utf-8"))' || fail "json: $(cat -v out)"
done
