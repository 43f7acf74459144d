#!/bin/bash
# dlopen from a library finds what its RUNPATH names, and loading and unloading in a loop is counted.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program plugins
mkdir -p libs/inner
cp "$PROGRAMS/libouter.so" libs/
cp "$PROGRAMS/libinner.so" libs/inner/
same_as_bare "$PROGRAMS/plugins" "$PWD/libs/libouter.so" 50
expect_eq output "$(cat traced.out)" '500 blocks'
expect "$OUTPUT" 'sized(1111) == 500'
