#!/bin/bash
# What threads see of each other's words holds in every order that an Arm processor allows: rings, calls, captures, gates; weaker forms are found wrong.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# Not by running it: the order of an x86-64 is stronger, and an emulator there has the same.
python3 "$ROOT/tests/memory_order.py" -v >said || fail "$(cat said)"
expect_match "protocols" "$(tail -n 1 said)" '^[0-9]+ protocols, 0 errors$'
