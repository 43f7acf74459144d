#!/bin/bash
# A page has at most 25 MB whatever is in the recording, and a browser opens it: thousands of threads, long names by the ten thousand.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 400
need_program noise_file
"$PROGRAMS/noise_file" 2500 50 8 threads.evt || fail "noise_file failed"
"$PROGRAMS/noise_file" 4 20000 10000 names.evt || fail "noise_file failed"
for name in threads names; do
	"$REPORT" page $name.evt -o $name.html 2>err || fail "$name: $(cat err)"
	expect_between "bytes of the page of $name" "$(stat -c %s $name.html)" 1000000 25000000
done
need_browser chromium
cat >look.py <<'END'
import os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
from browser import Browser
with Browser() as browser:
    for name in "threads", "names":
        browser.open(name + ".html", "#timeline")
        browser.wait("page.shown !== null && byId('panel').timeline")
        text = browser.value("byId('panel').textContent")
        assert "cannot be shown" not in text and browser.errors == [], (name, text[:300], browser.errors)
        about = browser.value("piece('timeline').then((one) => one.about)")
        longest = browser.value("piece('timeline').then((one) => Math.max(...one.names.map((name) => new TextEncoder().encode(name).length)))")
        assert (about.get("name_bytes") is not None) == (name == "names"), about.get("name_bytes")
        assert name != "names" or longest <= about["name_bytes"] and "long ones are cut" in text, (longest, text[:300])
END
python3 -S look.py 2>err || fail "$(tail -n 3 err)"
exit 0
