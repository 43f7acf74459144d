#!/bin/bash
# INTERCEPT_VERBOSE says what is recorded; an output that is a directory is said without it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program empty
said() { # VERBOSE
	INTERCEPT_VERBOSE=$1 INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB bash -c "'$PROGRAMS/empty'; exec '$PROGRAMS/empty'" 2>&1
}
expect_eq "lines with 0" "$(said 0 | wc -l)" 0
expect_eq "with 1" "$(said 1)" "intercept: recording alloc,nvtx,cuda,gpu,device,torch,tensors,requests,imports,gc of 'empty' into '$OUTPUT'"
expect_eq "dormant programs with 2" "$(said 2 | grep -c "^intercept: '.*' stays dormant")" 2
mkdir folder
INTERCEPT_OUTPUT=$PWD/folder LD_PRELOAD=$LIB "$PROGRAMS/empty" 2>err
expect_match "an output that is a directory" "$(cat err)" "^intercept: INTERCEPT_OUTPUT '.*folder' is a directory"
files=(folder.*.evt)
expect_eq "files beside it" "${#files[@]}" 1
