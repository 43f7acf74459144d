#!/bin/bash
# The library comes in late, by dlopen: it loads, the program goes on, and the heap is as before.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3
INTERCEPT_OUTPUT=$OUTPUT python3 -c 'import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
x = [bytearray(1000) for _ in range(1000)]
print("done", len(x))
sys.exit(4)' "$LIB" >out 2>err
expect_eq "exit status" $? 4
expect_eq output "$(cat out)" 'done 1000'
expect_eq "standard error" "$(cat err)" ''
