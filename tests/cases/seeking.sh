#!/bin/bash
# With --time and --step reports say the same, byte by byte, whether segments are passed over or the whole file is read.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program long_run
export INTERCEPT_STEP=step

# Several segments, all of which are kept.
INTERCEPT_KEEP_LAST=4M INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/long_run" 40 20000 progress || fail "status $?"
written
segments=$(grep -aoF SEGM "$OUTPUT" | wc -l)
[[ $segments -gt 1 ]] || fail "only $segments segments"
expect_eq "indexes" "$(grep -aoF INDX "$OUTPUT" | wc -l)" 1
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
python3 -S "$ROOT/tests/seeking.py" "$REPORT" 3 "$OUTPUT" ops api io gc native threads processes alloc leaks peak nvtx steps lines waits >compared.txt || fail "$(cat compared.txt)"
