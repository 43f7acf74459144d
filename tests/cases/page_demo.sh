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
python3 - <<'END_OF_PYTHON' 2>err || fail "$(tail -n 3 err)"
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
from browser import Browser
with Browser() as browser:
    browser.open("demo.html")
    browser.wait("page.shown !== null")
    for name in browser.value("PANELS.map(([name]) => name)"):
        browser.value("page.shown = null; 1")
        browser.click("#tab-" + name)
        browser.wait(f"page.shown !== null && page.shown.split('/')[0] === '{name}'")
        assert "cannot be shown" not in browser.value("byId('panel').textContent"), name
    assert browser.errors == [], browser.errors
END_OF_PYTHON
exit 0
