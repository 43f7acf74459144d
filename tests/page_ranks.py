#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_ranks.py REPORT STEPS.json RANKS.json PAGE: the map of ranks by steps, as a real browser draws it.

Cells are those of the reports, the slowest rank is the darkest row by its pixels without colour, at 1000x700 the map is seen whole, and
the arrow keys and the mouse say what a cell is.
"""
import json, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser

HEAT = "byId('panel').heat"
# The mean luminance of a row's pixels (of the sRGB components, as a grey copy has them), between the labels.
ROW = """((row) => { const m = HEAT, { each, high } = m.places(), scale = m.canvas.width / m.canvas.clientWidth;
    const x = (HEAT_LEFT + 1) * scale, y = (HEAT_TOP + row * high) * scale + 1, wide = (each * m.data.steps.length - 2) * scale, tall = Math.max(1, high * scale - 3);
    const d = m.canvas.getContext('2d').getImageData(x, y, wide, tall).data; let sum = 0, n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) { sum += 0.299 * d[i] + 0.587 * d[i + 1] + 0.114 * d[i + 2]; n++; }
    return sum / n; })""".replace("HEAT,", HEAT + ",")


def cells(steps):
    """Of each rank and step but a rank's first: its own time in us."""
    own, first = {}, {}
    for row in steps:
        if row["rank"] is not None:
            own[row["rank"], row["step"]] = (row["total_ns"] - row["communication_ns"]) // 1000
            first[row["rank"]] = min(first.get(row["rank"], row["step"]), row["step"])
    return {key: value for key, value in own.items() if key[1] != first[key[0]]}


def is_of_the_reports(browser, steps, ranks):
    data = browser.value(HEAT + ".data")
    wanted = cells(steps)
    if any(a != b for a, b in data["ranks"] + data["steps"]):
        return
    shown = {}
    for row, (rank, _) in enumerate(data["ranks"]):
        for column, (step, _) in enumerate(data["steps"]):
            value = data["own_us"][row * len(data["steps"]) + column]
            if value is not None:
                shown[rank, step] = value
    # a step's communication is the phase's, in both
    assert shown.keys() == wanted.keys(), (sorted(shown)[:3], sorted(wanted)[:3], len(shown), len(wanted))
    assert [row["rank"] for row in sorted(ranks, key=lambda row: row["rank"])] == [rank for rank, _ in data["ranks"]]


def is_readable_without_colour(browser, slowest):
    rows = browser.value(f"{HEAT}.data.ranks.map((_, row) => {ROW}(row))")
    at = next(i for i, (a, b) in enumerate(browser.value(HEAT + ".data.ranks")) if a <= slowest <= b)
    assert min(range(len(rows)), key=rows.__getitem__) == at, (rows, at)
    greys = browser.value("""HEAT_LEVELS.map((_, level) => { const c = document.createElement('canvas').getContext('2d'); c.fillStyle = heatFill(level);
        c.fillRect(0, 0, 1, 1); const d = c.getImageData(0, 0, 1, 1).data; return 0.299 * d[0] + 0.587 * d[1] + 0.114 * d[2]; })""")
    assert all(a - b > 8 for a, b in zip(greys, greys[1:])), greys


def is_steered(browser):
    browser.value(HEAT + ".canvas.focus(); 1")
    for key in "ArrowRight", "ArrowDown", "ArrowRight":
        browser.key(key)
    assert browser.value(HEAT + ".at") == [1, 1], browser.value(HEAT + ".at")
    text = browser.value("document.querySelector('.heat .detail').textContent")
    assert text == browser.value(f"{HEAT}.describe(1, 1)") and ("of own work" in text or "no step" in text), text
    browser.value(f"""{HEAT}.canvas.dispatchEvent(new MouseEvent('mousemove', {{ clientX: {HEAT}.canvas.getBoundingClientRect().left + HEAT_LEFT + 2,
        clientY: {HEAT}.canvas.getBoundingClientRect().top + HEAT_TOP + 2 }})); 1""")
    assert browser.value("byId('tip').textContent") == browser.value(f"{HEAT}.describe(0, 0)")


def main(steps, ranks, path, slowest):
    load = lambda name: json.load(open(name, encoding="utf-8"))["rows"]
    with Browser(1000, 700) as browser:
        browser.open(path, "#ranks")
        browser.wait("page.shown === 'ranks' || page.errors.length")
        assert browser.value("page.errors") == []
        is_of_the_reports(browser, load(steps), load(ranks))
        box = browser.value(f"(({{ top, bottom, right }}) => [top, bottom, right])({HEAT}.canvas.getBoundingClientRect())")
        assert box[0] >= 0 and box[1] <= 700 and box[2] <= 1000, box
        browser.picture("ranks.png")
        is_readable_without_colour(browser, int(slowest))
        is_steered(browser)


if __name__ == "__main__":
    main(*sys.argv[1:])
