#!/bin/bash
# Processes that end without waiting for the collector, one after the other and with many events: none is counted beside the next.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >children.py <<'END'
import asyncio, decimal, email.message, http.client, json, os, signal
for child in range(8):
    pid = os.fork()
    if not pid:
        kept = [bytearray(100000 + i) for i in range(50)]
        many = json.dumps({str(i): i for i in range(3000)})
        if child:
            os.kill(os.getpid(), signal.SIGKILL)
        raise SystemExit
    os.waitpid(pid, 0)
END
one=$((50 * 100000))
for run in 1 2 3; do
	INTERCEPT_TRACE=+pymem INTERCEPT_STACKS=python run_traced python3 children.py || fail "status $? of run $run"
	expect "$OUTPUT" "$one <= alloc.totals.peak_bytes" "alloc.totals.peak_bytes < 3 * $one" \
		"alloc.totals.live_bytes >= 8 * $one" 'summary.totals.events_lost == 0'
	rm -f "$OUTPUT"
done
