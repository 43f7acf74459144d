#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_compare.py [--firefox] PROF-REPORT AFTER BEFORE...: the page's comparison in a real browser, Chromium if not told otherwise.

Each document is that of `prof-report diff --format json`; reports and columns are chosen with the page's own lists; what is noise is no
change. Prints what is wrong, exit status 1.
"""
import json, os, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import firefox, page
from browser import Browser

ROWS_MAX = 3000  # as report/page/page_compare.c


def diff(report, after, before, *words):
    done = subprocess.run([report, "diff", *words, after, "--against", *before, "--format", "json", "--limit", str(ROWS_MAX)], capture_output=True, timeout=600)
    return json.loads(done.stdout)


def choose(browser, label, text):
    """One of a list, as a user picks it."""
    browser.value(f"""(() => {{ const list = document.querySelector('select[aria-label="{label}"]');
        list.value = {json.dumps(text)}; list.dispatchEvent(new Event('change')); return list.value; }})()""")


def report_of(browser, report, after, before, entry):
    words = ([entry["name"]] if entry["name"] else []) + (["--by", entry["by"]] if entry["by"] else [])
    wanted = diff(report, after, before, *words)
    has = browser.value(f"piece('{entry['id']}').then((one) => one.document)")
    for key in ("report", "columns", "rows", "totals", "losses"):
        assert has[key] == wanted[key], (entry, key, str(has[key])[:300], str(wanted[key])[:300])
    assert entry["shown"] == len(wanted["rows"]), entry
    return wanted["rows"]


def shown(browser, entry, rows):
    """What is on the screen: the rows of the column that is chosen, and what the verdict makes of them."""
    metrics = list(dict.fromkeys(row["metric"] for row in rows if row["row"] is not None and entry["name"]))
    for metric in metrics[:3] + (["all columns"] if len(metrics) != 1 else []):
        if len(metrics) > 1:
            choose(browser, "Column", metric)
        wanted = [row for row in rows if row["row"] is None or metric in (row["metric"], "all columns")]
        assert browser.value("byId('panel').table.rows.length") == len(wanted), (entry, metric)
        cells = browser.value("[...document.querySelectorAll('.changes tbody tr')].filter((tr) => tr.dataset.row).map((tr) => [tr.className, (tr.querySelector('.of-verdict') || { textContent: '-' }).textContent])")
        for row, (name, text) in zip(wanted, cells):
            assert text == (row["verdict"] or "-") and name == ("verdict-" + row["verdict"] if row["verdict"] else ""), (entry, row, name, text)


VALUES = {"alloc: bytes, all": ("alloc", "bytes"), "alloc: bytes that": ("alloc", "live")}


def flames(browser, go, report, after, before, pieces):
    """The differences of flame graphs: sums of diff --flame, and signs that need no colour."""
    for entry in pieces:
        has = browser.value(f"piece('{entry['id']}')")
        known = [value for text, value in VALUES.items() if entry["title"].startswith(text)]
        for of, value in known:
            folded = subprocess.run([report, "diff", "--flame", after, "--against", *before, "--of", of, "--value", value, "--format", "folded"], capture_output=True, timeout=600, text=True)
            for at, side in ((1, "all_before"), (2, "all_after")):
                assert abs(sum(float(line.rsplit(" ", 2)[at]) for line in folded.stdout.splitlines()) - has[side]) <= 0.51, (entry, side)
        first = [i for i, depth in enumerate(has["depth"]) if depth == 1]
        assert has["left_out"] or abs(sum(has["before"][i] for i in first) - has["all_before"]) <= len(first), entry
        go(browser, "compare/" + entry["id"])
        browser.wait("byId('panel').graph")
        marks = browser.value("[byId('panel').graph.top, ...byId('panel').graph.top.children].map((node) => [node.name, byId('panel').graph.label(node), byId('panel').graph.before(node), byId('panel').graph.after(node), byId('panel').graph.describe(node)])")
        for name, label, was, now, text in marks:
            assert label[0] in ("~" if "noise" in text or "slight" in text else "+" if now > was else "-" if now < was else "="), (label, was, now, text)
            assert " before, " in text and " after: " in text, text


def compare(browser, go, report, after, before):
    browser.open("compare.html", "#compare")
    browser.wait("document.querySelector('#panel select') || byId('panel').textContent.includes('cannot be shown')")
    entries = [one for one in browser.value("piece('manifest').then((one) => one.pieces)") if one["kind"] == "compare"]
    assert [one["name"] for one in entries][0] is None and {"steps", "ops", "summary"} <= {one["name"] for one in entries}, entries
    for entry in entries:
        rows = report_of(browser, report, after, before, entry)
        if entry["name"] and not rows:
            continue
        go(browser, "compare/" + (entry["name"] or ""))
        if rows:
            shown(browser, entry, rows)
    pieces = [one for one in browser.value("piece('manifest').then((one) => one.pieces)") if one["kind"] == "compare-flame" and one["rows"]]
    flames(browser, go, report, after, before, pieces)
    go(browser, "compare")
    choose(browser, "Report", "steps")
    browser.wait("location.hash === '#compare/steps' && document.querySelector('select[aria-label=Report]').value === 'steps'")
    assert "cannot be shown" not in browser.value("byId('panel').textContent")
    print(len(entries), "comparisons,", len(pieces), "flame graphs,", sum(one["rows"] for one in entries), "changes")


def main(*words):
    in_firefox = words[0] == "--firefox"
    report, after, *before = words[in_firefox:]
    subprocess.run([report, "page", after, "--against", *before, "-o", "compare.html"], check=True, timeout=600)
    if in_firefox:
        with firefox.Firefox() as browser:
            compare(browser, firefox.go, report, after, before)
        return
    with Browser(dark=len(before) > 1) as browser:
        compare(browser, page.go, report, after, before)
        assert browser.value("page.errors") == [] and browser.errors == [], browser.errors


if __name__ == "__main__":
    main(*sys.argv[1:])
