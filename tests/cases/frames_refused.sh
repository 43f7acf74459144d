#!/bin/bash
# Python frames that cannot be had: said on stderr, and in the file, so that reports of the heap begin with it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program confine
export INTERCEPT_STACKS=python INTERCEPT_SAMPLE=0
"$PROGRAMS/confine" eperm process_vm_readv env INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "${PYTHON:-python3}" -I -S -c 'print("done")' >out 2>err
status=$?
((status != 77)) || skip "no seccomp here"
expect_eq "status" $status 0
expect_eq "output" "$(cat out)" "done"
grep -q 'need glibc' err && skip "stacks need a newer glibc"
sentence='no Python frames in stacks: memory cannot be read to check their layout'
expect_match "standard error" "$(cat err)" "^intercept: .*$sentence"
for report in alloc leaks summary; do
	expect_match "what $report says" "$("$REPORT" $report --wait 60 "$OUTPUT" | tr '\n' ' ')" "MISSING in process [0-9]+: $sentence"
done
expect_eq "in JSON" "$(json alloc "$OUTPUT" '"frames_memory" in [l["id"] for l in doc["limitations"]]')" true
