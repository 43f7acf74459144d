#!/bin/bash
# INTERCEPT_MAX_FILE bounds the file; what comes after is counted as lost.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program progress
INTERCEPT_MAX_FILE=256K INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/progress" progress 2 &
pid=$!
sleep 1.5
kill -9 $pid
wait $pid 2>/dev/null
done=$(python3 -c "import struct; print(sum(struct.unpack('512Q', open('progress', 'rb').read())))")
expect_between "bytes of the file" "$(stat -c %s "$OUTPUT")" 50000 400000
expect "$OUTPUT" 'summary.totals.events_lost > 0' \
	"summary.totals.events + summary.totals.events_lost >= $done" \
	"summary.totals.events + summary.totals.events_lost <= $done + 20"
"$REPORT" summary "$OUTPUT" | grep -qi lost || fail "the summary does not say that events were lost"
