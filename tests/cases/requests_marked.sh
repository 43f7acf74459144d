#!/bin/bash
# INTERCEPT_REQUEST: calls of named Python functions are requests, in every CPython there is: each call once, also of coroutines; nothing without it.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

tried=0
for python in "${PYTHONS[@]}"; do
	version=$("$python" -c 'import sys; print(sys.version_info[1] if sys.version_info[0] == 3 else 0)') || continue
	((version >= 8 && version <= 14)) || continue
	INTERCEPT_REQUEST=__main__:Worker.handle,__main__:answer,__main__:produce,label:none INTERCEPT_TRACE=-alloc \
		run_traced "$python" "$ROOT/tests/requests/worker.py" >out || fail "$python: status $?"
	expect_eq "output of $python" "$(<out)" "5 1 3 3"
	# before 3.11 the class is not known: Other.handle() is one, too
	name=__main__:Worker.handle others=0
	((version >= 11)) || name=__main__:handle others=1
	expect "$OUTPUT" "requests.row(endpoint='$name').requests == 50 + $others" "requests.row(endpoint='$name').unanswered == 5" \
		'requests.row(endpoint="__main__:answer").requests == 30' 'requests.row(endpoint="__main__:answer").unanswered == 3' \
		'requests.row(endpoint="__main__:produce").requests == 1' 'requests.totals.open == 0' 'len(requests.rows) == 3' \
		'requests.row(endpoint="__main__:produce").method == "call"'
	INTERCEPT_TRACE=-alloc run_traced "$python" "$ROOT/tests/requests/worker.py" >out || fail "$python: status $?"
	expect_eq "without the setting" "$("$REPORT" requests --format json "$OUTPUT" | python3 -S -c 'import json, sys; print(len(json.load(sys.stdin)["rows"]))')" 0
	# beside +functions, whose table is as without it
	INTERCEPT_REQUEST=__main__:Worker.handle INTERCEPT_TRACE=+functions,-alloc run_traced "$python" "$ROOT/tests/requests/worker.py" >out || fail "$python: status $?"
	expect "$OUTPUT" 'functions.row(function="deeper").ncalls == 45' "requests.row(endpoint='$name').requests == 50 + $others"
	tried=$((tried + 1))
done
((tried)) || skip "no Python 3.8 to 3.14"

# a value that means nothing is refused, and the program runs on
INTERCEPT_REQUEST=handle run_traced python3 -c 'print(1)' >out 2>err || fail "status $?"
expect_eq "output" "$(<out)" 1
expect_match "what is wrong" "$(<err)" "INTERCEPT_REQUEST.*handle"
