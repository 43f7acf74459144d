#!/bin/bash
# A server whose client is a thread of its own process does not wait for another server.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

INTERCEPT_TRACE=-alloc,-imports run_traced python3 "$ROOT/tests/requests/own_client.py" >out 2>err || fail "$(cat err)"
expect_eq "output" "$(cat out err)" served
expect_eq "requests" "$(json requests "$OUTPUT" 'sum(r["requests"] for r in rows)')" 80
expect_eq "advice" "$(json bottleneck "$OUTPUT" '[r["id"] for r in rows if r["id"] == "downstream"]')" '[]'
expect_eq "verdict" "$("$REPORT" "$OUTPUT" | grep -c 'another server')" 0
