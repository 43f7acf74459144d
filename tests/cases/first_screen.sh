#!/bin/bash
# The first screen of every recording of the tree: 25 lines of 80 columns, a verdict whose line was recorded, shares that add up.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 600
export PROF_REPORT_CACHE=off
python3 -S "$ROOT/tests/first_screen.py" "$REPORT" "$ROOT/tests" || fail "first screens: see above; tests/first_screen.py --write writes the golden ones"
exit 0
