#!/bin/bash
# A page whose tables and flames alone are more than its budget stays below it, opens, and says what is not in it; what is in it is what the reports say.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_program noise_file
"$PROGRAMS/noise_file" 20 500 300 noise.evt || fail "noise_file failed"
page() { # BYTES ARGUMENT...: page.html with a budget
	PROF_REPORT_PAGE_BYTES=$1 "$REPORT" page "${@:2}" -o page.html 2>err || fail "page: $(cat err)"
}
page 25000000 noise.evt
expect_between "bytes of the page without want" "$(stat -c %s page.html)" 1500000 25000000
page 1500000 noise.evt --against noise.evt
expect_between "bytes of the page of two runs" "$(stat -c %s page.html)" 300000 1500000
# the last has no room for most tables, half of the points of curves and most functions
for bytes in 1000000 470000; do
	page $bytes noise.evt
	expect_between "bytes of the page of $bytes" "$(stat -c %s page.html)" 100000 $bytes
	mv page.html page-$bytes.html
done
need_browser chromium
cat >look.py <<'END'
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
import page
from browser import Browser

def look(browser, name, is_small):
    browser.open(name)
    browser.wait("page.shown !== null || page.errors.length")
    page.panels(browser)
    page.tables(browser, os.environ["REPORT"], "noise.evt")
    entries = browser.value("page.manifest.pieces")
    tables = [one for one in entries if one["kind"] == "table"]
    thinned = [one for one in tables if 0 < one["shown"] < min(one["rows"], 2000)]
    assert thinned or is_small, [(one["name"], one["shown"], one["rows"]) for one in tables]
    assert is_small == any(one.get("left_out") and one["rows"] for one in tables)
    first = [one for one in tables if one["name"] in ("summary", "bottleneck")]
    assert len(first) == 2 and not any(one.get("left_out") for one in first)
    for one in thinned[:3] + [one for one in tables if one.get("left_out") and one["rows"]][:3]:
        page.go(browser, "tables/" + one["name"])
        text = browser.value("byId('panel').textContent")
        assert f"{one['shown']:,} of {one['rows']:,} rows" in text, (one, text[-300:])
    flames = [one for one in entries if one["kind"] == "flame" and one["all"]]
    assert flames
    nodes = [browser.value(f"piece('{one['id']}').then((one) => one.depth.length)") for one in flames]
    for one in flames:
        page.go(browser, "flames/" + one["id"])
        left = browser.value(f"piece('{one['id']}').then((one) => one.left_out)")
        assert left and f"{left:,} functions are left out" in browser.value("byId('panel').textContent"), (one, left)
        assert browser.value("byId('panel').graph.root.total") == one["all"], one
    page.go(browser, "memory")
    assert ("no room for all" in browser.value("byId('panel').textContent")) == is_small
    page.go(browser, "timeline")
    assert "no room for" in browser.value("byId('panel').textContent")
    assert browser.value("page.errors") == [] and browser.errors == [], browser.errors
    return sum(nodes)


with Browser() as browser:
    assert look(browser, "page-1000000.html", False) > 4 * look(browser, "page-470000.html", True)
END
python3 -S look.py 2>err || fail "$(tail -n 3 err)"
exit 0
