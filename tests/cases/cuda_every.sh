#!/bin/bash
# Every CUDA function of hooks.def is interposed: called with nothing but zeros and failing, each is counted by name.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_every

FAKE_CUDA_COUNTS=$PWD/bare.json "$PROGRAMS/cuda_every" || fail "without intercept: status $?"
export FAKE_CUDA_COUNTS=$PWD/counts.json
run_traced "$PROGRAMS/cuda_every" || fail "status $?"
cmp <(sed -n 2,3p bare.json) <(sed -n 2,3p counts.json) || fail "the fake counted otherwise without intercept"
same_as_fake "$OUTPUT" counts.json
functions=$(grep -cE '^(RUNTIME|DRIVER)(_WORDS)?\(' "$ROOT/preload/cuda/hooks.def")
both=$(grep -cE '^(RUNTIME|DRIVER)(_WORDS)?_PT\(' "$ROOT/preload/cuda/hooks.def")
silent=$(grep -cE '^(RUNTIME_PT|DRIVER)\(.*ENTRY_POINT' "$ROOT/preload/cuda/hooks.def")
expect_eq "functions called" "$(python3 -S -c 'import json; print(len(json.load(open("counts.json"))["calls"]))')" \
	$((functions + 2 * both))
expect_eq "of them that hand out functions" "$silent" 4
# both launching functions of the runtime are one name, in either form of streams
expect "$OUTPUT" "len(api.rows) == $functions + 2 * $both - 8" 'api.totals.calls == api.sum("calls")' \
	'all(row.errors == row.calls for row in api.rows)' 'summary.totals.events_lost == 0'
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
