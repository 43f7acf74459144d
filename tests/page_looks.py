#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page_looks.py PAGE...: how each page looks and is steered in a real browser.

Light and dark, as the system asks and by the button: colours change, and all text is at least 4.5 times as bright or as dark as
what is behind it (WCAG 2.1, 1.4.3: contrast of relative luminance). On paper nothing that holds text is hidden, but for what is to be
clicked, and nothing is cut. Without a mouse Tab comes to all that can be clicked, and keys work there. Prints what is wrong, exit status 1.
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser

PAPER_WIDTH = 718  # A4 without margins of 1 cm, at 96 pixels an inch
SHRINK = 2  # so much smaller browsers print what is too wide
SHOWN = "page.shown !== null"

# Elements with text of their own that are seen, and their contrast to what is painted behind them.
CONTRAST = """(() => {
    const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1]; };
    const over = (a, b) => [0, 1, 2].map((at) => a[at] * a[3] + b[at] * (1 - a[3])).concat(1);
    const linear = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const light = (c) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
    const behind = (e) => { const own = e ? parse(getComputedStyle(e).backgroundColor) : [255, 255, 255, 1]; return own[3] === 1 ? own : over(own, behind(e.parentElement)); };
    const bars = (e) => { const image = getComputedStyle(e).backgroundImage; return image === "none" ? [] : image.match(/rgba?\\([^)]*\\)/g).map(parse).filter((c) => c[3] > 0); };
    const found = [];
    for (const e of document.querySelectorAll("body *")) {
        const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("").trim() || e.placeholder || "";
        if (!text || /^(SCRIPT|STYLE|NOSCRIPT|OPTION)$/.test(e.tagName) || !e.checkVisibility() || !e.getClientRects().length)
            continue;
        for (const back of [behind(e), ...bars(e)]) {
            const front = over(parse(getComputedStyle(e).color), back), a = light(front), b = light(back);
            found.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.tagName + "." + e.className + "#" + e.id + ": " + text.slice(0, 40)]);
        }
    }
    return found;
})()"""

# On paper: what holds text and is not there, or is cut by a box that does not let it out.
HIDDEN = """(() => {
    const steers = "nav, .tools, #theme, .list, #tip, [hidden], details:not([open]) > :not(summary)";
    const found = [];
    for (const e of document.querySelectorAll("body *")) {
        const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("").trim();
        if (!text || /^(SCRIPT|STYLE|NOSCRIPT)$/.test(e.tagName) || e.closest(steers) || e.closest("svg"))
            continue;
        if (!e.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
            found.push("hidden: " + e.tagName + "." + e.className + ": " + text.slice(0, 40));
        if (e.getBoundingClientRect().right > innerWidth * SHRINK + 1)
            found.push("off the paper: " + Math.round(e.getBoundingClientRect().right) + " " + e.tagName + "." + e.className + ": " + text.slice(0, 40));
        for (let box = e; box && box !== document.body; box = box.parentElement) {
            const style = getComputedStyle(box);
            if (style.overflowX !== "visible" && box.scrollWidth > box.clientWidth + 1 || style.overflowY !== "visible" && box.scrollHeight > box.clientHeight + 1)
                if (box.clientWidth)
                    found.push("cut: " + box.tagName + "." + box.className + "#" + box.id + ": " + text.slice(0, 40));
        }
    }
    return [...new Set(found)];
})()"""


def go(browser, place):
    browser.value("page.shown = null; if (location.hash === '#%s') panelShow(); else location.hash = '%s'; 1" % (place, place))
    browser.wait(SHOWN)


def media(browser, scheme, kind=""):
    browser.call("Emulation.setEmulatedMedia", media=kind, features=[{"name": "prefers-color-scheme", "value": scheme}])


def places(browser):
    """Each tab, and each table that has rows."""
    return browser.value("PANELS.map(([name]) => name).concat(page.manifest.pieces.filter((p) => p.kind === 'table' && p.shown).map((p) => 'tables/' + p.name))")


def colours(browser):
    return browser.value("[document.body, ...document.querySelectorAll('button')].map((e) => getComputedStyle(e).color + getComputedStyle(e).backgroundColor).join()")


def is_readable(browser, wrong, what):
    low = sorted((ratio, text) for ratio, text in browser.value(CONTRAST) if ratio < 4.5)
    wrong += [f"{what}: contrast {ratio:.2f} of {text}" for ratio, text in low[:4]]


def schemes(browser, wrong):
    seen = {}
    for scheme in "light", "dark":
        media(browser, scheme)
        browser.wait(f"document.documentElement.dataset.theme === '{scheme}'")
        for place in places(browser):
            go(browser, place)
            is_readable(browser, wrong, f"{scheme} {place}")
        go(browser, "overview")
        seen[scheme] = colours(browser)
    assert seen["light"] != seen["dark"]
    browser.click("#theme")
    assert colours(browser) == seen["light"]
    media(browser, "light")


def paper(browser, wrong):
    """The page that prints is white, whatever the screen has."""
    for scheme in "light", "dark":
        media(browser, scheme)
        browser.wait(f"document.documentElement.dataset.theme === '{scheme}'")
        for place in places(browser):
            media(browser, scheme)
            browser.wait(f"document.documentElement.dataset.theme === '{scheme}'")
            go(browser, place)
            media(browser, scheme, "print")
            browser.call("Emulation.setDeviceMetricsOverride", width=PAPER_WIDTH, height=1000, deviceScaleFactor=1, mobile=False)
            wrong += [f"paper of {scheme} {place}: {text}" for text in browser.value(HIDDEN.replace("SHRINK", str(SHRINK)))[:4]]
            is_readable(browser, wrong, f"paper of {scheme} {place}")
            browser.wait("document.documentElement.dataset.theme === 'light'")  # in which charts are drawn anew
            if browser.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)":
                wrong.append(f"paper of {scheme} {place} is not white")
            browser.call("Emulation.clearDeviceMetricsOverride")
    assert browser.call("Page.printToPDF")["data"].startswith("JVBERi"), "it does not print"
    media(browser, "light")


def press(browser, key, number, text=""):
    for kind in "keyDown", "keyUp":
        more = {"text": text} if text and kind == "keyDown" else {}
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=number, **more)


def keys(browser, wrong):
    go(browser, "overview")
    browser.value("document.activeElement.blur(); scrollTo(0, 0); 1")
    count, reached = browser.value("PANELS.length"), []
    for _ in range(count + 12):  # what the overview has comes between
        press(browser, "Tab", 9)
        reached.append(browser.value("document.activeElement.id"))
    tabs = browser.value("PANELS.map(([name]) => 'tab-' + name)")
    assert set(tabs) <= set(reached) and "theme" in reached, reached
    assert browser.value(f"byId('{tabs[1]}').focus(), byId('{tabs[1]}').matches(':focus-visible') && getComputedStyle(byId('{tabs[1]}')).outlineStyle") == "solid"
    press(browser, "Enter", 13, "\r")
    browser.wait(SHOWN + f" && page.shown.split('/')[0] === '{tabs[1][4:]}'")
    for key, number, at in ("ArrowRight", 39, 2), ("ArrowLeft", 37, 1), ("ArrowLeft", 37, 0), ("ArrowLeft", 37, count - 1), ("ArrowRight", 39, 0):
        press(browser, key, number)
        browser.wait(SHOWN + f" && page.shown.split('/')[0] === '{tabs[at][4:]}' && document.activeElement.id === '{tabs[at]}'")
    # all that a mouse can click is reached by Tab, or has keys of its own
    for place in places(browser)[:count]:
        go(browser, place)
        unreached = browser.value("[...document.querySelectorAll('#panel button, #panel input, #panel select, #panel canvas, #panel summary')]"
                                  ".filter((e) => e.checkVisibility() && e.tabIndex < 0).map((e) => e.outerHTML.slice(0, 80))")
        wrong += [f"{place}: Tab does not reach {text}" for text in unreached[:3]]


def main(*paths):
    wrong = []
    with Browser() as browser:
        for path in paths:
            browser.open(path)
            browser.wait(SHOWN)
            for part in schemes, paper, keys:
                found = []
                part(browser, found)
                wrong += [f"{path} {text}" for text in found]
            assert browser.errors == [], browser.errors
            print(path, len(places(browser)), "places")
    if wrong:
        sys.exit("\n".join(wrong[:40]))


if __name__ == "__main__":
    main(*sys.argv[1:])
