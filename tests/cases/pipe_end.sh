#!/bin/bash
# prog | cat ends when prog ends: nothing of ours keeps the pipe open.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
start=$SECONDS
run_traced python3 -c 'print("x")' 2>&1 | cat >out
INTERCEPT_CHILDREN=all run_traced sh -c 'sleep 0.1; echo y' 2>&1 | cat >>out
expect_eq output "$(tr -d '\n' <out)" xy
# shellcheck disable=SC2034
value=$(run_traced python3 -c 'print("z")' 2>&1)
expect_eq "command substitution" "$value" z
((SECONDS - start <= 5)) || fail "took $((SECONDS - start)) s"
