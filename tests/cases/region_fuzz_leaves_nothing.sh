#!/bin/bash
# The fuzz target of the region records for true into a file of its own, and leaves nothing behind.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

mkdir tmp
TMPDIR=$PWD/tmp "$BUILD/fuzz/replay_region" "$ROOT/tests/fuzz/corpus/region" >out 2>&1 || fail "status $?: $(cat out)"
expect_match "what it says" "$(cat out)" '^[1-9][0-9]* inputs$'
expect_eq "files left" "$(find tmp -mindepth 1)" ''
