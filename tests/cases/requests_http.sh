#!/bin/bash
# Requests that http.server answers are those that its client sent: each one, with status, bytes, and no time beyond the client's.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

LD_PRELOAD=$LIB INTERCEPT_OUTPUT=$OUTPUT python3 "$ROOT/tests/requests/plain_server.py" port &
server=$!
trap 'kill -9 $server 2>/dev/null' EXIT
eventually "the server listens" test -s port
python3 "$ROOT/tests/requests/client.py" "$(<port)" GET:/a GET:/items/17?page=2 HEAD:/a POST:/echo:70000 \
	pipe:5:/b GET:/stream GET:/missing GET:/error split:/c GET:/slow GET:/to-close \
	new GET:/boom new GET:/a new GET:/a >asked.json || fail "the client failed"
kill -TERM "$server"
wait "$server"
expect_eq "status of the server" "$?" 0
written "$OUTPUT"

"$REPORT" requests --by request --format json "$OUTPUT" >requests.json || fail "prof-report requests: status $?"
python3 "$ROOT/tests/requests/compare.py" asked.json requests.json || fail "requests differ from the client's"

expect_eq "requests" "$(json requests "$OUTPUT" 'sum(r["requests"] for r in rows)')" 18
expect_eq "requests of an endpoint" "$(json requests "$OUTPUT" 'row(endpoint="/b")["requests"]')" 5
expect_eq "the path's key" "$(json requests "$OUTPUT" 'row(endpoint="/items/{number}")["requests"]')" 1
expect_eq "faults of the server" "$(json requests "$OUTPUT" 'row(status=500)["errors"]' --by status)" 1
expect_eq "unanswered" "$(json requests "$OUTPUT" 'totals["unanswered"]')" 1
expect_eq "alone" "$(json requests "$OUTPUT" 'sum(r["alone"] for r in rows)')" 13
expect_eq "of one worker" "$(json requests "$OUTPUT" 'len(rows), rows[0]["requests"]' --by worker)" "(1, 18)"
