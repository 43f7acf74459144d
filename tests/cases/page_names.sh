#!/bin/bash
# Names that anybody chose are text in the page, whatever they are: no markup, no script, no formula, nothing that is not seen.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 300
need_browser chromium
cat >names.py <<'END'
import ctypes, json, os, sys, time
names = ["</script><script>window.hacked = 1</script>", "<img src=x onerror=window.hacked=1>", "\"onmouseover=\"window.hacked=1",
         "'`${window.hacked = 1}`", "<!--", "-->", "]]>", "&lt;b&gt;&amp;", "javascript:window.hacked=1", "=HYPERLINK(\"http://x\")", "@SUM(1)",
         "__proto__", "constructor", "toString", "\x1b[31mred\x07\b\r\n\tend", "\u202egnp.exe", "\u2066\u2069\u200b\ufeff", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627",
         "\u2028\u2029", "\U0001f600\U000e0041", "a" * 10000, "b c" * 3000, "%s%n", "\\u0041\\", "{\"a\": 1}", " ", "../../etc/passwd", "<svg/onload=window.hacked=1>"]
raw = [b"\xff\xfe\xc3", b"\xed\xa0\x80 half", b"cut \xe2\x82"]
library = ctypes.CDLL(None)
for name in [name.encode() for name in names] + raw:
    library.nvtxRangePushA(name)
    kept = [bytes(3000) for _ in range(20)]
    library.nvtxRangePop()
open("/proc/self/comm", "w").write("<b>\"&'")
json.dump(names, open("names.json", "w"))
END
run_traced python3 names.py '</title><script>window.hacked=1</script>' || fail "status $?"
mv run.evt $'<img src=x onerror=window.hacked=1>.evt'
python3 -S "$ROOT/tests/page.py" "$REPORT" '<img src=x onerror=window.hacked=1>.evt' >log 2>err || fail "$(tail -n 3 err)"

cat >seen.py <<'END'
import json, os, sys
sys.path.insert(0, os.environ["ROOT"] + "/tests")
from browser import Browser
names = json.load(open("names.json"))
with Browser() as browser:
    browser.open("page.html", "#tables/nvtx")
    browser.wait("page.shown !== null && byId('panel').table")
    seen = browser.value("[...document.querySelectorAll('td')].map((cell) => cell.textContent)")
    unseen = browser.value("[...document.querySelectorAll('*')].filter((e) => !e.children.length && !/SCRIPT|STYLE/.test(e.tagName) && e.textContent.match(UNSEEN)).length")
    assert unseen == 0, unseen
    for name in names:
        shown = browser.value(f"cut(show({json.dumps(name)}), 4000)")
        assert shown in seen, (name, seen)
    assert browser.value("byId('title').textContent").endswith("</title><script>window.hacked=1</script>")
    browser.click(".copy")
    browser.wait("byId('panel').table.copied")
    copied = browser.value("byId('panel').table.copied")
    assert "'=HYPERLINK" in copied and "'@SUM" in copied
    assert browser.value("typeof window.hacked") == "undefined" and browser.errors == [], browser.errors
    # the policy itself: another script in the same page is not run
    policy = browser.value("document.querySelector('meta[http-equiv]').content")
    assert "default-src 'none'" in policy and "unsafe" not in policy
    browser.value("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.hacked = 1'})); 1")
    assert browser.value("typeof window.hacked") == "undefined"
    assert any("Content Security Policy" in error for error in browser.errors), browser.errors
END
python3 -S seen.py >>log 2>err || fail "$(tail -n 3 err)"
if grep -qE '<script>window|<img|<svg' page.html; then fail "a name stands in the page's own text"; fi
exit 0
