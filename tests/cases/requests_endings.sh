#!/bin/bash
# How requests end: a client that leaves, a server that is killed with one under way.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"
server=''
trap '[[ ! $server ]] || kill -9 $server 2>/dev/null' EXIT

start() {
	rm -f port held go "$OUTPUT"
	LD_PRELOAD=$LIB INTERCEPT_OUTPUT=$OUTPUT python3 "$ROOT/tests/requests/plain_server.py" port &
	server=$!
	eventually "the server listens" test -s port
}

ask() {
	python3 -S "$ROOT/tests/requests/client.py" "$(<port)" "$@" >asked.json
}

start
has_seen_it() {
	"$REPORT" requests --by request "$OUTPUT" 2>/dev/null | grep -q 'client left'
}
ask GET:/a leave:/held GET:/a || fail "the client failed"
eventually "the server has seen that the client left" has_seen_it
kill -TERM "$server"
wait "$server"
expect_eq "status of the server" "$?" 0
written "$OUTPUT"
expect_eq "endings" "$(json requests "$OUTPUT" 'sorted(r["ending"] for r in rows)' --by request)" '["answered", "answered", "client left"]'
expect_eq "no status" "$(json requests "$OUTPUT" 'row(endpoint="/held")["status"]' --by request)" null

start
ask GET:/a
ask GET:/held &
client=$!
eventually "the request has come" test -e held
kill -9 "$server"
wait "$server" "$client" 2>/dev/null
server=''
written "$OUTPUT"
expect_eq "of all" "$(json requests "$OUTPUT" '[totals["requests"], totals["open"]]')" "[1, 1]"
expect_eq "the one under way" "$(json requests "$OUTPUT" 'row(ending="open")["endpoint"]' --by request)" /held
expect_eq "it has no time" "$(json requests "$OUTPUT" 'row(endpoint="/held")["total_ns"]')" 0
