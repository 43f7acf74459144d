#!/bin/bash
# A gRPC server: each call of a method is a request, streams too, without a setting and by INTERCEPT_REQUEST; the client gets what it got bare.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
need_grpc

"$PYTHON" "$ROOT/tests/requests/grpc_server.py" >bare 2>bare.err || fail "the server fails without the preload: $(tail -5 bare.err)"
expect_eq "what the client got, bare" "$(<bare)" "{'Upper': 40, 'Lower': 25, 'Fail': 5, 'Count': 7}"
INTERCEPT_TRACE=-alloc run_traced "$PYTHON" "$ROOT/tests/requests/grpc_server.py" >out 2>err || fail "status $?: $(tail -5 err)"
cmp bare out || fail "the client got something else: $(<out)"
path=/tests.Texts/
counted() { # how often each method was called, as HTTP/2 has it
	expect "$OUTPUT" "requests.row(endpoint='${path}Upper').requests == 40" "requests.row(endpoint='${path}Lower').requests == 25" \
		"requests.row(endpoint='${path}Fail').requests == 5" "requests.row(endpoint='${path}Count').requests == 1" \
		"all(row.method == 'POST' and row.unanswered == 0 and row.p50_ns > 0 for row in requests.rows if row.endpoint[0] == '/')" \
		'requests.totals.open == 0' "requests.totals.requests == $1"
}
counted 71
expect_eq "status" "$(json requests "$OUTPUT" '[(r["status"], r["requests"]) for r in rows]' --by status)" "[[200, 66], [1002, 5]]"
expect "$OUTPUT" "requests.row(endpoint='${path}Fail').errors == 5" "requests.row(endpoint='${path}Upper').errors == 0"
# INTERCEPT_REQUEST makes requests of the servicer's methods beside them: without what gRPC does before and after
INTERCEPT_REQUEST='__main__:Servicer.*' INTERCEPT_TRACE=-alloc run_traced "$PYTHON" "$ROOT/tests/requests/grpc_server.py" >out 2>err || fail "status $?: $(tail -5 err)"
cmp bare out || fail "the client got something else: $(<out)"
counted 142
# Before CPython 3.11 a code object does not know its class.
class=Servicer.
((10#$("$PYTHON" -c 'import sys; print("%d%02d" % sys.version_info[:2])') >= 311)) || skip "this Python is older than 3.11"
expect "$OUTPUT" "requests.row(endpoint='__main__:${class}Upper').requests == 40" "requests.row(endpoint='__main__:${class}Lower').requests == 25" \
	"requests.row(endpoint='__main__:${class}Fail').requests == 5" "requests.row(endpoint='__main__:${class}Fail').unanswered == 5" \
	"requests.row(endpoint='__main__:${class}Count').requests == 1" 'len(requests.rows) == 8'
