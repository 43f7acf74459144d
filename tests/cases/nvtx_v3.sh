#!/bin/bash
# NVTX version 3, by injection: exact counts on several threads, levels, open ranges; with the real headers too.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

E='load("expected.json")'
check() { # PROGRAM
	rm -f ./run.evt*
	run_traced "$PROGRAMS/$1" 4 250 expected.json || fail "$1: status $?"
	expect "$OUTPUT" "$E.wrong == 0" "nvtx.row(name='outer').count == $E.each" \
		"sum(r.count for r in nvtx.select(name='inner')) == 2 * $E.each" \
		"nvtx.row(domain='io', name='inner').count == $E.each" \
		"nvtx.row(domain='io', name='read').count == $E.each" "nvtx.row(name='wide').count == $E.each" \
		"nvtx.row(name='wide \\u00fc\\u20ac').count == $E.each" "nvtx.row(name='started').count == $E.each" \
		"nvtx.row(name='left open').count == 4" "nvtx.row(name='left open').open == 4" \
		"nvtx.row(name='outer').open == 0"
	expect_sums "$OUTPUT"
}
need_program nvtx_v3
check nvtx_v3
need_program nvtx_real
"$PROGRAMS/nvtx_real" 1 1 none.json >out
[[ $? == 77 ]] && skip "all but the real headers: $(cat out)"
check nvtx_real
