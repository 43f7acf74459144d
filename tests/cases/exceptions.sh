#!/bin/bash
# C++ exceptions work and no unwinder, zstd or jemalloc of ours is mapped into the program.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program exceptions
same_as_bare "$PROGRAMS/exceptions" 50000
expect_eq output "$(cat traced.out)" 'caught 50000 and 50000'
