#!/bin/bash
# INTERCEPT_PRESET: values of other settings under one name; what is set besides wins, and reports say which one it was.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program hostile
meta() { # NAME: a fact of the recording, null without it
	json processes "$OUTPUT" "doc['session']['meta'].get('$1')"
}

INTERCEPT_PRESET=light run_traced "$PROGRAMS/hostile" >out 2>err
expect_eq "exit status" $? 21
expect_eq output "$(cat out)" 'done'
expect_eq "preset" "$(meta preset)" light
expect_eq "families" "$(meta trace)" alloc,nvtx,gpu,device,torch,io,requests,imports,gc
"$REPORT" summary "$OUTPUT" >text || fail "summary: status $?"
grep -qx 'recorded with INTERCEPT_PRESET=light' text || fail "summary without the preset: $(cat text)"

INTERCEPT_PRESET=full INTERCEPT_TRACE=-native-samples,-shapes run_traced "$PROGRAMS/hostile" >out 2>err
expect_eq "what is set besides wins" "$(meta trace)" alloc,nvtx,cuda,gpu,device,torch,tensors,modules,io,requests,imports,gc

run_traced "$PROGRAMS/hostile" >out 2>err
expect_eq "no preset" "$(meta preset)" null
"$REPORT" summary "$OUTPUT" | grep INTERCEPT_PRESET && fail "a summary with a preset that nobody asked for"

INTERCEPT_PRESET=heavy run_traced "$PROGRAMS/hostile" >out 2>err
grep -q "^intercept: INTERCEPT_PRESET='heavy' is not allowed; allowed is light: .*; taking 'default'$" err || fail "a wrong name: $(cat err)"
true
