#!/bin/bash
# Answers do not depend on how many threads read (PROF_REPORT_THREADS): of whole recordings, of cut and of damaged ones.
# SPDX-License-Identifier: MIT
# timeout: 600
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# JSON, messages and status of the report, with 1, 2 and 4 threads
alike() { # FILE REPORT...
	local file=$1 report threads
	shift
	for report; do
		for threads in 1 2 4; do
			PROF_REPORT_THREADS=$threads "$REPORT" "$report" "$file" --format json --limit 0 >"answer.$threads" 2>&1
			echo "status $?" >>"answer.$threads"
		done
		cmp -s answer.1 answer.2 || fail "$report $file: with 2 threads $(diff answer.1 answer.2 | head -n 3)"
		cmp -s answer.1 answer.4 || fail "$report $file: with 4 threads $(diff answer.1 answer.4 | head -n 3)"
	done
}

for file in "$ROOT"/tests/golden/*.evt; do
	alike "$file" summary alloc ops steps kernels lines threads check
done

# Bytes are changed, and the file is cut, at places all over it.
for file in "$ROOT"/tests/golden/{counts,families,stacks}.evt; do
	size=$(stat -c %s "$file")
	for part in 2 3 5 7 9; do
		cp "$file" damaged.evt
		printf '\xa5\x5a\xff' | dd of=damaged.evt bs=1 seek=$((size * part / 11)) conv=notrunc status=none
		alike damaged.evt alloc check
		head -c $((size * part / 10)) "$file" >cut.evt
		alike cut.evt alloc check
	done
done
