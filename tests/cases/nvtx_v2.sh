#!/bin/bash
# NVTX version 2: without libnvToolsExt, and with one that injects us as well: each range counts once.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program nvtx_v2
need_program libfake_nvtoolsext.so
E='load("expected.json")'
check() { # PRELOADED
	rm -f ./run.evt*
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$1 "$PROGRAMS/nvtx_v2" 4 250 expected.json || fail "status $?"
	expect "$OUTPUT" "$E.wrong == 0" "nvtx.row(name='outer').count == $E.each" \
		"nvtx.row(domain='io', name='inner').count == $E.each" \
		"nvtx.row(domain='io', name='read').count == $E.each" "nvtx.row(name='wide').count == $E.each" \
		"nvtx.row(name='started').count == $E.each" "nvtx.row(name='left open').open == 4"
	expect_sums "$OUTPUT"
}
check "$LIB"
check "$LIB:$PROGRAMS/libfake_nvtoolsext.so"
expect "$OUTPUT" "$E.originals == $E.calls"
# the other way round ours is what the original's callbacks reach
check "$PROGRAMS/libfake_nvtoolsext.so:$LIB"
