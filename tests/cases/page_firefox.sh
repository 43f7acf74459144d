#!/bin/bash
# The page in a real Firefox: each panel is drawn, a click on the timeline shows a span, and a comparison is that of report diff.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_browser firefox-esr
"$REPORT" page "$ROOT/tests/truth/recordings/good.evt" -o page.html 2>err || fail "page: $(cat err)"
"$REPORT" page "$ROOT/tests/golden/families.evt" -o families.html 2>err || fail "page: $(cat err)"
python3 "$ROOT/tests/firefox.py" families.html page.html >out 2>err || fail "$(tail -n 3 err)"
expect_match "what was drawn" "$(cat out)" 'page.html 9 panels [1-9][0-9]* canvases'

# with --against: documents, rows and verdicts of each comparison
for pair in "recordings/good_adam.evt recordings/good.evt" "../golden/families3.evt ../golden/families.evt"; do
	read -r after before <<<"$pair"
	python3 -S "$ROOT/tests/page_compare.py" --firefox "$REPORT" "$ROOT/tests/truth/$after" "$ROOT/tests/truth/$before" >out 2>err ||
		fail "$after against $before: $(tail -n 3 err)"
	expect_match "comparisons" "$(cat out)" '^[1-9][0-9]+ comparisons, [0-9]+ flame graphs, [1-9][0-9]* changes$'
done

# a page that is cut off says so
head -c $(($(stat -c %s page.html) / 2)) page.html >cut.html
timeout 600 python3 - 2>err <<'PY' || fail "$(tail -n 3 err)"
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
from firefox import Firefox
with Firefox() as firefox:
    firefox.open("cut.html")
    firefox.wait("document.body.textContent.includes('This page cannot be shown')")
PY
exit 0
