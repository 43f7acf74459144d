#!/bin/bash
# The page of a server in a real Chromium: a bar for each endpoint, whose parts add up to the time of its requests; none of a program without.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 200
need_browser chromium
cat >look.py <<'END'
import os, sys

sys.path.insert(0, os.path.join(os.environ["ROOT"], "tests"))
import page
from browser import Browser

SECTIONS = "[...document.querySelectorAll('.requests .bar')]"
with Browser() as browser:
    for recording in sys.argv[1:]:
        browser.open(os.path.basename(recording) + ".html")
        browser.wait("page.shown !== null || page.errors.length")
        rows = page.document(os.environ["REPORT"], "requests", recording, 0)["rows"]
        rows = sorted((row for row in rows if row["requests"]), key=lambda row: -row["total_ns"])[:8]
        names = browser.value(SECTIONS + ".map((one) => one.querySelector('b').textContent)")
        assert names == [row["method"] + " " + row["endpoint"] for row in rows], (names, rows)
        for at, row in enumerate(rows):
            parts = dict(browser.value(f"[...{SECTIONS}[{at}].querySelectorAll('.parts i')].map((one) => [one.dataset.part, Number(one.dataset.value)])"))
            known = sum(row[name] or 0 for name in ("queue_ns", "cpu_ns", "gil_ns", "lock_ns", "io_ns", "sleep_ns", "await_ns"))
            assert sum(parts.values()) == max(known, row["total_ns"]), (parts, row)
            assert (parts.get("sleep") or 0) == (row["sleep_ns"] or 0), (parts, row)
            text = browser.value(SECTIONS + f"[{at}].textContent")
            assert f"{row['requests']:,} requests" in text and "p99" in text, text
        assert not browser.value("page.errors.length")
        print(os.path.basename(recording), len(rows))
END
for name in server_sleeps server_slow_requests collate; do
	"$REPORT" page "$ROOT/tests/truth/recordings/$name.evt" -o "$name.evt.html" 2>err || fail "page: $(cat err)"
done
python3 -S look.py "$ROOT"/tests/truth/recordings/{server_sleeps,server_slow_requests,collate}.evt >out 2>err || fail "$(tail -n 3 err)"
expect_eq "endpoints" "$(tr '\n' ' ' <out)" "server_sleeps.evt 1 server_slow_requests.evt 1 collate.evt 0 "
