#!/bin/bash
# The page of the demo, as make demo records it, has at most 5 MB, and a browser shows all of it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
need_torch
need_browser chromium
run_traced "$PYTHON" "$ROOT/scripts/demo_train.py" >train.out 2>train.err || fail "status $? $(cat train.err)"
"$REPORT" page "$OUTPUT" -o demo.html 2>err || fail "page: $(cat err)"
expect_between "bytes of the demo's page" "$(stat -c %s demo.html)" 500000 5000000
python3 -S - <<'END_OF_PYTHON' 2>err || fail "$(tail -n 3 err)"
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
import page
from browser import Browser
with Browser() as browser:
    browser.open("demo.html")
    browser.wait("page.shown !== null")
    page.panels(browser)
    assert browser.errors == [], browser.errors
END_OF_PYTHON
exit 0
