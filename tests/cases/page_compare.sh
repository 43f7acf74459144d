#!/bin/bash
# page --against in a real Chromium: each comparison is that of report diff; what is refused.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_browser chromium
recordings=$ROOT/tests/truth/recordings golden=$ROOT/tests/golden
compared() { # AFTER BEFORE...
	python3 -S "$ROOT/tests/page_compare.py" "$REPORT" "$@" >>log 2>err || fail "line ${BASH_LINENO[0]}: $(tail -n 3 err)"
}
compared "$recordings/good_adam.evt" "$recordings/good.evt"
compared "$golden/families3.evt" "$golden/families.evt"
# against several; a run against itself; one that is cut off
compared "$recordings/good_adam.evt" "$recordings/good.evt" "$recordings/good_fused.evt" "$recordings/good_average.evt"
compared "$recordings/good.evt" "$recordings/good.evt"
head -c 20000 "$recordings/good.evt" >cut.evt
compared "$recordings/good.evt" cut.evt

cp "$recordings/good.evt" base.evt
refuses 2 'no recording follows it' page base.evt --against -o x.html
refuses 1 "'base.evt': it is a file that is read" page "$recordings/good_adam.evt" --against base.evt -o base.evt
cmp base.evt "$recordings/good.evt" || fail "a recording was written over"
refuses 2 'either --redact or --against' page base.evt --against base.evt --redact host -o x.html
refuses 1 "gone.evt" page base.evt --against gone.evt -o x.html
: >empty.evt
refuses 1 "empty.evt" page base.evt --against empty.evt -o x.html
head -c 3000 /dev/urandom >noise.evt
refuses 1 "noise.evt" page base.evt --against noise.evt -o x.html
"$REPORT" page base.evt "$recordings/good_adam.evt" -o x.html 2>err
expect_eq "status of a page of two sessions" $? 2
expect_match "a page of two sessions" "$(tail -n 1 err)" "one session at a time"

# the page of one run has a sentence instead
"$REPORT" page base.evt -o one.html 2>err || fail "page: $(cat err)"
python3 -S - 2>err <<'PY' || fail "$(tail -n 3 err)"
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
from browser import Browser
with Browser() as browser:
    browser.open("one.html", "#compare")
    browser.wait("page.shown !== null")
    assert "page AFTER.evt --against BEFORE.evt" in browser.value("byId('panel').textContent")
PY
exit 0
