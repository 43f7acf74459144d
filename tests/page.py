#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""page.py PROF-REPORT RECORDING...: the page of each in a real browser.

Every panel is drawn without an error of the console, without the network, and nothing of a name becomes markup. Numbers
are those of --format json. Tables are sorted, filtered, made narrower and copied. Prints what is wrong, exit status 1.
"""

import functools, json, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
from page_layers import layers
from page_stacks import stacks

STEP_TOTALS = {"step_p50_ns", "step_total_ns", "step_dataloader_ns"}  # no parts of the bar of a step
SHOWN = "page.shown !== null"


@functools.lru_cache(maxsize=1)
def documents(report, path):
    """All reports over one recording, which is read once."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([report, "export", "json", path, "-o", folder + "/out"], capture_output=True, timeout=600)
        return {name.rpartition(".")[0]: json.load(open(f"{folder}/out/{name}", encoding="utf-8")) for name in os.listdir(folder + "/out")}


def document(report, name, path, rows):
    """One of them; of its rows the first ones, or all where that is 0."""
    whole = documents(report, path)[name]
    return {**whole, "rows": whole["rows"][:rows]} if rows else whole


def exact(value):
    """As the page has it: whole numbers that a floating point number cannot hold are texts."""
    if isinstance(value, dict):
        return {key: exact(one) for key, one in value.items()}
    if isinstance(value, list):
        return [exact(one) for one in value]
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 53 else value


def shown_name(event):
    """What the page calls an event of Chrome's trace."""
    return event["name"] + (" (end not recorded)" if "end not recorded" in event.get("args", {}) else "")


def go(browser, place):
    browser.value("page.shown = null; if (location.hash === '#%s') panelShow(); else location.hash = '%s'; 1" % (place, place))
    browser.wait(SHOWN)


def panels(browser):
    """Each is drawn, by its tab and by its key; none says that it cannot be shown."""
    count = browser.value("PANELS.length")
    for at in range(count):
        name = browser.value(f"PANELS[{at}][0]")
        browser.value("page.shown = null; 1")
        browser.click("#tab-" + name)
        browser.wait(SHOWN + f" && page.shown.split('/')[0] === '{name}'")
        text = browser.value("byId('panel').textContent")
        assert text.strip() and "cannot be shown" not in text, (name, text[:300])
        assert browser.value("document.querySelectorAll('#panel iframe, #panel script, #panel img, #panel object, #panel a').length") == 0, name
    browser.value("document.activeElement.blur(); page.shown = null; 1")
    browser.key("1", "Digit1")
    browser.wait(SHOWN + " && page.shown === 'overview'")


def hurried(browser):
    """A part that is slow to come does not take the place of the one that was chosen after it."""
    slow = next((entry["id"] for entry in browser.value("page.manifest.pieces") if entry["kind"] == "timeline"), None)
    if not slow:
        return
    browser.value(f"(() => {{ const one = piece('{slow}'); page.held = new Promise((go) => {{ page.go = go; }}); pieces.set('{slow}', page.held.then(() => one)); return 1; }})()")
    go_now = "new Promise((done) => { addEventListener('hashchange', () => done(1), { once: true }); location.hash = '%s'; })"
    browser.value(go_now % "timeline")
    browser.value(go_now % "steps")
    browser.value("page.go(1); page.held.then(() => 1)")
    browser.wait(SHOWN + " && page.shown === 'steps'")
    browser.value("new Promise((done) => setTimeout(done, 50))")
    assert browser.value("!byId('panel').timeline && !document.querySelector('#panel [aria-label=\"Search the timeline\"]')"), "the timeline stands below another tab"
    assert browser.value("byId('tab-steps').getAttribute('aria-selected')") == "true"


def tables(browser, report, path):
    """What is in the page is what the reports say, whatever the order in which it was asked."""
    listed = subprocess.run([report, "--list"], capture_output=True, text=True).stdout.split("\n")
    entries = {entry["name"]: entry for entry in browser.value("page.manifest.pieces") if entry["kind"] == "table" and not entry.get("left_out")}
    assert {"summary", "ops", "alloc", "steps", "threads"} <= {entry["name"] for entry in browser.value("page.manifest.pieces") if entry["kind"] == "table"}, entries.keys()
    assert all(name in [line.split()[0] for line in listed if line] for name in entries)
    for name, entry in entries.items():
        has = browser.value(f"piece('{entry['id']}').then((one) => one.document)")
        wanted = exact(document(report, name, path, 0 if name in ("summary", "bottleneck") else max(1, entry["shown"])))
        for key in ("report", "session", "losses", "faults", "columns", "rows", "totals"):
            assert has[key] == wanted[key], (path, name, key, str(has[key])[:400], str(wanted[key])[:400])
        assert bool(entry["empty"]) == (not has["rows"]) or name in ("summary", "bottleneck"), (name, entry)


def overview(browser, report, path):
    go(browser, "overview")
    totals = document(report, "summary", path, 0)["totals"]
    for fact, value in browser.value("[...document.querySelectorAll('.card')].map((c) => [c.dataset.fact, Number(c.dataset.value)])"):
        assert totals[fact] == value, (path, fact, value)
    text = browser.value("byId('panel').textContent")
    for entry in browser.value("page.manifest.pieces"):
        assert not entry.get("empty") or browser.value(f"byId('panel').textContent.includes(show({json.dumps(entry['empty'])}))"), (entry, text[:500])
    # pictures before words: bars of the run and of a step, and the causes below them, without scrolling
    if totals["startup_ns"] is not None:
        parts = browser.value("[...document.querySelectorAll('.bar:first-child .parts i')].reduce((sum, one) => sum + Number(one.dataset.value), 0)")
        assert parts == totals["startup_ns"] + totals["steps_ns"] + totals["after_ns"], (path, parts)
    names = [name for name in totals if re.fullmatch("(gpu_)?step_[a-z_]+_ns", name) and name not in STEP_TOTALS]
    if names:
        parts = browser.value("[...document.querySelectorAll('.bar:last-child .parts i')].map((one) => Number(one.dataset.value))")
        assert sorted(parts) == sorted(totals[name] for name in names), (path, parts, names)
    causes = document(report, "bottleneck", path, 0)["rows"][:3]
    titles = browser.value("[...document.querySelectorAll('.causes h3')].map((one) => one.firstChild.textContent)")
    assert titles == [row["title"] for row in causes], (path, titles)
    browser.call("Emulation.setDeviceMetricsOverride", width=1000, height=700, deviceScaleFactor=1, mobile=False)
    ends = browser.value("[...document.querySelectorAll('.causes .advice')].map((one) => one.getBoundingClientRect().bottom + scrollY)")
    browser.call("Emulation.clearDeviceMetricsOverride")
    assert all(end <= 700 for end in ends) or not browser.value("byId('banner').hidden"), (path, ends)
    losses = document(report, "threads", path, 0)["losses"]
    assert browser.value("byId('banner').hidden") == (not any(loss["count"] for loss in losses) and not document(report, "threads", path, 0)["faults"]), losses


def cells(browser, column):
    return browser.value(f"(() => {{ const t = byId('panel').table; return t.passed().map((at) => t.rows[at]['{column}']); }})()")


def work(browser, path):
    """Sorting, filtering, columns and copying of one table that has rows, with the mouse and the keys."""
    entries = [e for e in browser.value("page.manifest.pieces") if e["kind"] == "table" and e["shown"] > 1 and e["name"] not in ("summary", "bottleneck")]
    for entry in entries[:4]:
        go(browser, "tables/" + entry["name"])
        names = browser.value("byId('panel').table.shownColumns().filter(isNumeric).map((c) => c.name)")
        for name in names[:2]:
            browser.click(f"th[data-name='{name}'] button")
            browser.click(f"th[data-name='{name}'] button")
            found = [v for v in cells(browser, name) if v is not None]
            way = browser.value(f"document.querySelector('th[data-name=\"{name}\"]').getAttribute('aria-sort')")
            assert found == sorted(found, reverse=way == "descending"), (entry["name"], name, way)
            first = browser.value(f"document.querySelector('tbody tr').dataset.row")
            assert int(first) == browser.value("byId('panel').table.passed()[0]")
        browser.value("document.activeElement.blur(); 1")
        browser.key("/", "Slash")
        browser.type("no such thing \u2203")
        assert browser.value("document.querySelectorAll('tbody tr').length") == 0, entry["name"]
        browser.value("byId('panel').table.filter.value = ''; byId('panel').table.draw(); 1")
        before = browser.value("document.querySelectorAll('thead th').length")
        browser.value("document.querySelector('.columns').open = true; 1")
        browser.click(".columns input:checked")
        assert browser.value("document.querySelectorAll('thead th').length") == before - 1, entry["name"]
        browser.value("document.querySelector('.columns').open = false; 1")
        browser.click(".copy")
        browser.wait("byId('panel').table.copied")
        assert len(browser.value("byId('panel').table.copied")) > 0
        rows = browser.value("document.querySelectorAll('tbody tr').length")
        assert rows == min(entry["shown"], 300) + (entry["shown"] > 300), (entry, rows)


def flames(browser, report, path):
    """Values are those of report flame; a click zooms, a search adds up, the reversed tree is of the same whole."""
    for entry in [e for e in browser.value("page.manifest.pieces") if e["kind"] == "flame"]:
        options = ["flame", "--of", entry["of"], "--value", entry["value"], *(["--by", "line"] if entry["of"] == "samples" else [])]
        wanted = json.loads(subprocess.run([report, *options, "--format", "json", path], capture_output=True, timeout=600).stdout)
        assert (entry["all"], entry["of"], entry["value"]) == tuple(wanted["totals"][key] for key in ("total", "of", "value")), (path, entry)
        if not entry["all"]:
            continue
        data = browser.value(f"piece('{entry['id']}')")
        folded = subprocess.run([report, *options, "--format", "folded", path], capture_output=True, timeout=600).stdout
        assert data["left_out"] or sum(data["self"]) == entry["all"]
        assert data["left_out"] or sum(1 for value in data["self"] if value) == folded.count(b"\n"), (path, entry)
        go(browser, "flames/" + entry["id"])
        graph = "byId('panel').graph"
        assert browser.value(f"{graph}.root.total") == entry["all"]
        box = browser.value(f"(() => {{ const g = {graph}, b = g.canvas.getBoundingClientRect(), n = g.root.children[0], [x, w] = g.place(n);"
                            " return [b.x + x + w / 2, b.y + g.y(n.depth) + 8, g.canvas.clientWidth]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            browser.point(kind, box[0], box[1], button="left", clickCount=1)
        assert browser.value(f"{graph}.focus === {graph}.root.children[0] && Math.abs({graph}.place({graph}.focus)[1] - {graph}.canvas.clientWidth) < 0.01")
        browser.click(".reset")
        assert browser.value(f"{graph}.focus === {graph}.root")
        name = browser.value(f"{graph}.root.children[0].name")
        browser.click("#panel input[type=search]")
        browser.type(name)
        assert browser.value(f"{graph}.words") == browser.value(f"{json.dumps(name)}.toLowerCase()"), name
        assert browser.value(f"{graph}.matched()") >= browser.value(f"{graph}.root.children[0].total")
        assert "found: " in browser.value("document.querySelector('.status').textContent")
        browser.click("input.reversed")
        assert browser.value(f"{graph}.root !== {graph}.top && {graph}.root.children.reduce((sum, one) => sum + one.total, 0) <= {entry['all']}")
        assert data["left_out"] or browser.value(f"{graph}.root.children.reduce((sum, one) => sum + one.total, 0)") == entry["all"]


def memory(browser, report, path):
    go(browser, "memory")
    lines = browser.value("(byId('panel').curves || []).map((curve) => curve.line)")
    heap = document(report, "alloc", path, 1)["totals"]
    assert [line["peak_bytes"] for line in lines if line["kind"] == "heap"] == [heap["peak_bytes"]] * (heap["allocations"] > 0), (path, heap)
    seen = {row["process"]: row["peak_bytes"] for row in json.loads(subprocess.run([report, "memory", "--by", "process", "--format", "json", path],
                                                                    capture_output=True).stdout)["rows"]}
    for line in lines:
        assert max(value or 0 for value in line["values"]) <= line["peak_bytes"] or line["kind"] == "resident", line
        assert line["kind"] != "resident" or seen[line["pid"]] == line["peak_bytes"], (path, line["pid"])
    charts = layers(browser, report, path)
    # from a moment into the timeline, and from the peak to what lived then
    entries, end = browser.value("page.manifest.pieces"), browser.value("byId('panel').curves && byId('panel').curves.length && byId('panel').curves[0].end")
    if lines and any(entry["kind"] == "timeline" for entry in entries):
        browser.value("page.shown = null; 1")
        browser.click("#panel canvas")
        browser.wait(SHOWN + " && byId('panel').timeline")
        start, to = browser.value("[byId('panel').timeline.from, byId('panel').timeline.to]")
        assert start <= end / 2 <= to and to - start <= max(1000, end / 40), (path, start, to, end)
        go(browser, "memory")
    if heap["allocations"] and any(e["kind"] == "flame" and (e["of"], e["value"]) == ("alloc", "peak") and e["all"] for e in entries):
        browser.value("page.shown = null; 1")
        browser.click(".curve[data-kind=heap] .peak")
        browser.wait(SHOWN + " && byId('panel').graph")
        assert browser.value("byId('panel').graph.root.total") == next(e["all"] for e in entries if e["kind"] == "flame" and (e["of"], e["value"]) == ("alloc", "peak")), path
    return charts


def steps(browser, report, path):
    """By phase and by what ran: each is all of the steps."""
    entry = next((one for one in browser.value("page.manifest.pieces") if one["kind"] == "table" and one["name"] == "steps"), {})
    if not entry.get("rows") or entry["shown"] < entry["rows"]:
        return
    go(browser, "steps")
    whole = document(report, "steps", path, 0)["totals"]["total_ns"]
    for view in "category", "phase":
        browser.value("(() => { const one = document.querySelector('#panel select'); one.value = '%s'; one.dispatchEvent(new Event('change')); return 1; })()" % view)
        parts = browser.value("[...document.querySelectorAll('#panel .legend span')].map((one) => [one.dataset.part, Number(one.dataset.value)])")
        assert sum(value for _, value in parts) == whole, (path, view, parts, whole)
        assert view == "category" or not {"kernel_ns", "operators_ns"} & {name for name, _ in parts}, (path, parts)
    two_steps(browser, path, document(report, "steps", path, 0)["rows"])


def two_steps(browser, path, rows):
    """The longest step beside the one that is offered: drawn from their begins on, moved together; the table is of what was open in them."""
    longest = max(rows, key=lambda row: row["total_ns"])
    if not browser.value("document.getElementById('panel').chart.rows.length > 1 && page.manifest.pieces.some((one) => one.kind === 'timeline' && !one.left_out)"):
        return
    at = browser.value(f"byId('panel').chart.rows.findIndex((row) => row.pid === {longest['pid']} && row.step === {longest['step']})")
    browser.value(f"byId('panel').chart.choose({at}); 1")
    if not browser.value("document.querySelectorAll('#panel button.pair').length"):
        assert sum(row["pid"] == longest["pid"] for row in rows) == 1, path
        return
    other = int(browser.value("document.querySelector('.beside select').value"))
    times = sorted(row["total_ns"] for row in rows if row["pid"] == longest["pid"])
    second = next(row for row in rows if row["pid"] == longest["pid"] and row["step"] == other)
    assert second["total_ns"] == times[len(times) // 2] or len(times) == 2, (path, second, times)
    browser.value("page.shown = null; 1")
    browser.click("#panel button.pair")
    browser.wait(SHOWN + f" && page.shown === 'steps/{longest['pid']}/{longest['step']}/{other}' && byId('panel').pair")
    one, two = (f"byId('panel').pair.timelines[{number}]" for number in (0, 1))
    assert browser.value(f"{one}.part.begin") == longest["start_ns"] and browser.value(f"{two}.part.begin") == second["start_ns"], path
    assert browser.value(f"{one}.canvas.height") == browser.value(f"{two}.canvas.height") > 0, path

    def aligned():
        places = [browser.value(f"[{each}.x({each}.part.begin), {each}.x({each}.part.begin + 1000), {each}.axisText({each}.from - {each}.part.begin, 1000)]") for each in (one, two)]
        assert abs(places[0][0] - places[1][0]) < 0.01 and abs(places[0][1] - places[1][1]) < 0.01, (path, places)
        return places[0][:2]

    before = aligned()
    assert browser.value(f"{one}.x({one}.part.end) <= {one}.canvas.clientWidth") and before[0] > 0, path
    browser.value(f"{two}.canvas.focus(); 1")
    browser.key("w", "KeyW")
    browser.key("d", "KeyD")
    after = aligned()
    assert after != before and after[1] - after[0] > 1.5 * (before[1] - before[0]), (path, before, after)
    sums = browser.value("byId('panel').pair.sums()")
    assert sums == sorted(sums, key=lambda row: -abs(row["more_ns"])) and all(row["more_ns"] == row["ns0"] - row["ns1"] for row in sums), path
    if not browser.value("byId('panel').pair.data.about.merged_ns"):  # the steps themselves are a row; their spans end a nanosecond before the next one
        assert any(longest["total_ns"] - row["ns0"] in (0, 1) and second["total_ns"] - row["ns1"] in (0, 1) for row in sums), (path, longest, second, sums[:5])
    assert browser.value("document.querySelectorAll('#panel div.pair tbody tr').length") > 0, path


def arrows(browser, path, events):
    """As many as export chrome has flows; the longest span that some begin in is clicked: its arrows lead to the spans of the trace."""
    t, data = "byId('panel').timeline", "byId('panel').timeline.data"
    flows = {}
    for event in events:
        if event["ph"] in "sf":
            flows.setdefault((event["cat"], event["id"], event.get("pid") if event["cat"] == "fwdbwd" else 0), {})[event["ph"]] = event
    pairs = [flow for flow in flows.values() if len(flow) == 2]
    starts = sum(1 for event in events if event["ph"] == "s")
    assert browser.value(f"{data}.about.arrows") == starts, (path, starts)
    if not starts:
        return 0
    names = {(e["pid"], e["tid"], round(e["ts"] * 1000)): shown_name(e) for e in events if e["ph"] == "X"}
    wanted = {names.get((p["f"]["pid"], p["f"]["tid"], round(p["f"]["ts"] * 1000))) for p in pairs} - {None}
    span = f"""(async () => {{ await {t}.arrows.load(); const {{ data }} = {t};
        const one = {t}.arrows.all.find((arrow) => data.startingAt(arrow.fromLane, arrow.from) && {t}.top[arrow.fromLane] !== undefined && {t}.top[arrow.toLane] !== undefined);
        if (!one) return false;
        await {t}.goTo(data.startingAt(one.fromLane, one.from)); return true; }})()"""
    assert browser.value(span), path
    found = browser.value(f"{t}.arrows.rows.map((row) => [row.name, row.arrow, row.after_ns])")
    assert found and all(kind in ("launches", "backward", "launched by", "forward") for _, kind, _ in found), (path, found)
    assert browser.value("document.querySelectorAll('.arrows tbody tr').length") > 0
    for name, kind, _ in found:
        assert kind not in ("launches", "backward") or name in wanted or name == "(merged in this page)" or name.endswith("short ones"), (path, name)
    drawn = browser.value(f"(() => {{ const c = {t}.canvas.getContext('2d'), stroke = c.stroke; let count = 0; c.stroke = () => count++; {t}.arrows.paint(c); c.stroke = stroke; return count; }})()")
    assert drawn == min(300, browser.value(f"{t}.arrows.shown.filter((one) => {t}.top[one.fromLane] !== undefined && {t}.top[one.toLane] !== undefined).length")) > 0
    first = browser.value(f"(() => {{ const row = {t}.arrows.rows.find((one) => one.span); return row && row.span.row.start[row.span.at]; }})()")
    if first is not None:
        browser.click(".along")
        browser.wait(f"{t}.chosen && {t}.chosen.row.start[{t}.chosen.at] === {first}")
        assert browser.value(f"{t}.arrows.rows.length") > 0, path
    browser.value(f"{t}.choose(null).then(() => {t}.look(0, {data}.end)).then(() => 1)")
    return starts


def timeline(browser, report, path):
    """As many spans as export chrome has, of the same names and times; zooming, selecting, searching, clicking."""
    subprocess.run([report, "export", "chrome", path, "-o", "trace.json"], capture_output=True, timeout=600)
    events = json.load(open("trace.json"))["traceEvents"]
    spans = [e for e in events if e["ph"] in "XBb"]
    go(browser, "timeline")
    has = any(entry["kind"] == "timeline" for entry in browser.value("page.manifest.pieces"))
    looks = json.loads(subprocess.run([report, "lines", "--format", "json", path], capture_output=True, timeout=600).stdout)["totals"]["samples"]
    assert has == bool(spans) or looks or document(report, "device", path, 0)["rows"], (path, len(spans))
    if not has:
        return 0, 0
    t, data = "byId('panel').timeline", "byId('panel').timeline.data"
    browser.value(f"Promise.all({data}.missing({data}.levels.length - 1, 0, {data}.end)).then(() => 1)")
    rows = f"[...{data}.rows({data}.levels.length - 1, 0, {data}.end)]"
    states = sum(row["samples"] for row in document(report, "device", path, 0)["rows"])  # of GPUs: no slices in traces
    assert browser.value(f"{rows}.reduce((sum, row) => sum + row.count.reduce((a, b) => a + b, 0), 0)") == len(spans) + states + browser.value(f"{data}.about.stretches") == browser.value(f"{data}.about.spans"), path
    if not browser.value(f"{data}.about.merged_ns") and not browser.value(f"{data}.about.thinned_ns"):
        wanted, got = {}, {}
        for event in spans:
            if event["ph"] == "X":
                key = event["cat"], shown_name(event).removeprefix("void ")  # traces keep what a kernel returns
                count, spent = wanted.get(key, (0, 0))
                wanted[key] = count + 1, spent + event["dur"]
        for name, category, duration in browser.value(f"{rows}.flatMap((row) => row.duration.map((d, at) => [{data}.names[row.name[at]], {data}.categories[row.name[at]], d]))"):
            count, spent = got.get((category, name), (0, 0))
            got[category, name] = count + 1, spent + duration / 1000
        for key, (count, spent) in wanted.items():
            assert got[key][0] == count and abs(got[key][1] - spent) < 0.01 * count + 0.1, (path, key, got[key], count, spent)
        held = sum(spent for (category, _), (_, spent) in got.items() if category == "gpu_throttled")
        assert abs(1000 * held - document(report, "device", path, 0)["totals"]["any_throttled_ns"]) < 1, (path, held)
        lanes = browser.value(f"{data}.about.lanes.filter((lane) => lane.kind === 'gpu').map((lane) => [lane.model, lane.uuid, lane.device])")
        assert sorted(lanes) == sorted([row["model"], row["uuid"], row["device"]] for row in document(report, "device", path, 0)["rows"]), lanes
    # rows of one lane and depth are in order; what is inside lies below
    assert browser.value(f"{rows}.every((row) => row.start.every((s, at) => !at || s >= row.start[at - 1]))"), path
    browser.value(f"{t}.canvas.focus(); 1")
    before = browser.value(f"{data}.end")
    typical = sorted(document(report, "steps", path, 0)["rows"], key=lambda row: row["total_ns"])
    if typical:  # opens on a step
        step = typical[len(typical) // 2]
        assert browser.value(f"{t}.to - {t}.from") <= max(1000, 1.3 * step["total_ns"]), (path, step)
    for _ in range(60):
        browser.key("w", "KeyW")
    width = browser.value(f"{t}.to - {t}.from")
    assert width <= before and abs(width - min(1000, browser.value(f"{data}.end"))) < 1, (path, width)
    browser.key("Escape")
    assert browser.value(f"{t}.to - {t}.from") == before
    # the middle of the longest span, looked at from near: it is wide enough to be hit
    found = browser.value(f"""(async () => {{ let best = null;
        for (const row of {rows}) for (let at = 0; at < row.start.length; at++)
            if (row.count[at] === 1 && {t}.top[row.lane] !== undefined && (!best || row.duration[at] > best.row.duration[best.at])) best = {{ row, at }};
        if (!best) return null;
        await {t}.look(best.row.start[best.at] - best.row.duration[best.at], best.row.start[best.at] + 2 * best.row.duration[best.at]);
        scrollTo(0, scrollY + {t}.canvas.getBoundingClientRect().y + {t}.top[best.row.lane] - 200);
        const c = {t}.canvas.getBoundingClientRect();
        return [c.x + {t}.x(best.row.start[best.at] + best.row.duration[best.at] / 2), c.y + {t}.top[best.row.lane] + LANE_HEAD + best.row.depth * LANE_ROW + 6, {data}.names[best.row.name[best.at]]]; }})()""")
    if found:
        x, y, name = found
        for kind in ("mousePressed", "mouseReleased"):
            browser.point(kind, x, y, button="left", clickCount=1)
        browser.wait(f"!!({t}.chosen && document.querySelector('.detail pre'))")
        assert browser.value(f"{data}.names[{t}.chosen.row.name[{t}.chosen.at]]") == name, path
        assert browser.value(f"document.querySelector('.detail pre').textContent.startsWith(show({json.dumps(name)}))"), name
    browser.value(f"scrollTo(0, 0); {t}.look(0, {data}.end).then(() => 1)")
    box = browser.value(f"(() => {{ const b = {t}.canvas.getBoundingClientRect(); return [b.x, b.y, b.width]; }})()")
    browser.drag(box[0] + 2, box[1] + 8, box[0] + box[2] - 2, box[1] + 8)
    browser.wait(f"!!({t}.selection && document.querySelector('.detail').rows)")
    sums = browser.value("document.querySelector('.detail').rows")
    assert sums and sum(row["count"] for row in sums) <= browser.value(f"{data}.about.spans") and browser.value("document.querySelectorAll('.detail tbody tr').length") > 0
    name = next((row["name"] for row in sums if row["category"]), None)
    if name:
        browser.value(f"{t}.chosen = {t}.selection = null; 1")
        browser.click("#panel input[type=search]")
        browser.type(name)
        browser.key("Enter")
        browser.wait(f"!!{t}.chosen")
        assert browser.value(f"{data}.names[{t}.chosen.row.name[{t}.chosen.at]].toLowerCase().includes({json.dumps(name)}.toLowerCase())")
        start, end = browser.value(f"[{t}.chosen.row.start[{t}.chosen.at], {t}.chosen.row.start[{t}.chosen.at] + {t}.chosen.row.duration[{t}.chosen.at]]")
        assert browser.value(f"{t}.from") <= end and browser.value(f"{t}.to") >= start
    started = [row["pid"] for row in sorted(document(report, "processes", path, 0)["rows"], key=lambda row: row["start_ns"])]
    drawn = list(dict.fromkeys(browser.value(f"{t}.lanes.filter((lane) => lane.kind !== 'stream' && lane.kind !== 'gpu').map((lane) => lane.pid)")))
    assert drawn == [pid for pid in started if pid in drawn], (drawn, started)
    found = arrows(browser, path, events)
    seen = stacks(browser, report, path)
    go(browser, "timeline/0/2000")
    assert browser.value(f"[{t}.from, {t}.to]") == [0, min(2000, browser.value(f"{data}.end"))]
    return found, seen


def page(browser, report, path):
    done = subprocess.run([report, "page", path, "-o", "page.html"], capture_output=True, text=True, timeout=600)
    assert "to be opened with a browser" in done.stderr, done
    size = os.path.getsize("page.html")
    assert size < 25e6
    browser.errors.clear()
    browser.open("page.html")
    browser.wait("page.shown !== null || page.errors.length")
    panels(browser)
    hurried(browser)
    tables(browser, report, path)
    overview(browser, report, path)
    work(browser, path)
    flames(browser, report, path)
    charts = memory(browser, report, path)
    steps(browser, report, path)
    found, seen = timeline(browser, report, path)
    assert browser.value("page.errors") == [] and browser.errors == [], (path, browser.errors)
    assert browser.value("typeof window.hacked") == "undefined"
    print(path, size, "arrows", found, "looks", seen, "charts", charts)


def main(report, *paths):
    with Browser() as browser:
        for path in paths:
            page(browser, report, path)


if __name__ == "__main__":
    main(*sys.argv[1:])
