#!/bin/bash
# A gRPC server: INTERCEPT_REQUEST names its servicer, and each call of a method is a request, streams too; the client gets what it got bare.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
need_grpc

"$PYTHON" "$ROOT/tests/requests/grpc_server.py" >bare 2>bare.err || fail "the server fails without the preload: $(tail -5 bare.err)"
expect_eq "what the client got, bare" "$(<bare)" "{'Upper': 40, 'Lower': 25, 'Fail': 5, 'Count': 7}"
INTERCEPT_REQUEST='__main__:Servicer.*' INTERCEPT_TRACE=-alloc run_traced "$PYTHON" "$ROOT/tests/requests/grpc_server.py" >out 2>err || fail "status $?: $(tail -5 err)"
cmp bare out || fail "the client got something else: $(<out)"
# Before CPython 3.11 a code object does not know its class.
class=Servicer.
((10#$("$PYTHON" -c 'import sys; print("%d%02d" % sys.version_info[:2])') >= 311)) || skip "this Python is older than 3.11"
expect "$OUTPUT" "requests.row(endpoint='__main__:${class}Upper').requests == 40" "requests.row(endpoint='__main__:${class}Lower').requests == 25" \
	"requests.row(endpoint='__main__:${class}Fail').requests == 5" "requests.row(endpoint='__main__:${class}Fail').unanswered == 5" \
	"requests.row(endpoint='__main__:${class}Count').requests == 1" 'requests.totals.open == 0' 'len(requests.rows) == 4'
# HTTP/2 is not followed: without the setting there is no request, and the report says what to do
INTERCEPT_TRACE=-alloc run_traced "$PYTHON" "$ROOT/tests/requests/grpc_server.py" >out 2>err || fail "status $?: $(tail -5 err)"
cmp bare out || fail "the client got something else without the setting: $(<out)"
expect_match "without the setting" "$("$REPORT" requests "$OUTPUT" 2>&1)" 'INTERCEPT_REQUEST'
