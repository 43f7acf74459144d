#!/bin/bash
# Requests that http.server answers are those that its client sent: each one, with status, bytes, and no time beyond the client's.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

LD_PRELOAD=$LIB INTERCEPT_OUTPUT=$OUTPUT INTERCEPT_SAMPLE=0 INTERCEPT_TRACE=-imports python3 "$ROOT/tests/requests/plain_server.py" port &
server=$!
trap 'kill -9 $server 2>/dev/null' EXIT
eventually "the server listens" test -s port
python3 -S "$ROOT/tests/requests/client.py" "$(<port)" GET:/a GET:/items/17?page=2 HEAD:/a POST:/echo:70000 \
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
expect_eq "pieces of a stream" "$(json requests "$OUTPUT" '[(r["pieces"], r["piece_ns"] > 0, r["first_p50_ns"] <= r["p50_ns"]) for r in rows if r["endpoint"] == "/stream"]')" '[[2, true, true]]'
expect_eq "the path's key" "$(json requests "$OUTPUT" 'row(endpoint="/items/{number}")["requests"]')" 1
expect_eq "the path with it" "$(json requests "$OUTPUT" 'row(path="/items/17")["requests"], row(path="/b")["requests"], len([r for r in rows if "{number}" in r["path"]])' --by path)" "(1, 5, 0)"
expect_eq "of one request" "$(json requests "$OUTPUT" '[(r["endpoint"], r["path"]) for r in rows if r["endpoint"] != r["path"]]' --by request)" '[["/items/{number}", "/items/17"]]'
expect_eq "faults of the server" "$(json requests "$OUTPUT" 'row(status=500)["errors"]' --by status)" 1
expect_eq "unanswered" "$(json requests "$OUTPUT" 'totals["unanswered"]')" 1
expect_eq "alone" "$(json requests "$OUTPUT" 'sum(r["alone"] for r in rows)')" 13
expect_eq "of one worker" "$(json requests "$OUTPUT" 'len(rows), rows[0]["requests"]' --by worker)" "(1, 18)"

# --request: what happened in one of them, in any report
expect_eq "one request" "$(json requests "$OUTPUT" '[row["endpoint"] for row in rows]' --request 13)" '["/slow"]'
expect_eq "three" "$(json requests "$OUTPUT" 'totals["requests"]' --request 13..15)" 3
expect_eq "threads in it" "$(json threads "$OUTPUT" 'len(rows)' --request 13 --filter 'events>0')" 1
refuses 2 'there is no such request; 18 requests were recorded, 0 to 17' requests --request 18 "$OUTPUT"

# the first screen of the summary, and slices of a trace; where nothing but requests says what the time went to, they do
COLUMNS=200 "$REPORT" summary "$OUTPUT" >summary.txt || fail "prof-report summary: status $?"
grep -Eq '^requests 18 in .* after .* of start-up, .*, by 1 process; failed by the server: 1; without a whole answer: 1 ' summary.txt || fail "the first screen: $(head -n 25 summary.txt)"
! grep -q 'Nothing recorded shows' summary.txt || fail "requests show it: $(head -n 5 summary.txt)"
grep -Eq '\] [A-Z]+ /[a-z{}/-]+: [0-9.]+/s, p50 [0-9.]+ [mu]?s, p99 ' summary.txt || fail "no endpoint in the first screen: $(head -n 25 summary.txt)"
"$REPORT" export chrome -o trace.json "$OUTPUT" || fail "prof-report export: status $?"
expect_eq "slices of a trace" "$(python3 -I -S -c 'import json
events = json.load(open("trace.json"))["traceEvents"]
print(sum(event.get("args", {}).get("status") == 404 and event["name"] == "GET /missing" for event in events if event["ph"] != "e"))')" 1
