# SPDX-License-Identifier: MIT
"""Stacks of Python in the page's timeline, compared with `prof-report dump`: read and added up here on their own."""
import collections, json, re, subprocess

STATES = ["runs", "waits for the GIL", "waits for a lock or a thread", "waits for input or output", "sleeps",
          "waits for a child process", "waits", "waits for a CPU", "stack could not be read"]
GAP_MAX_NS = 2_000_000_000  # what one look can stand for, as docs/FORMAT.md has it
TIMELINE, DATA = "byId('panel').timeline", "byId('panel').timeline.data"
ROWS = f"[...{DATA}.rows({DATA}.levels.length - 1, 0, {DATA}.end)]"


def fields(line):
    return {key: json.loads(value) if value.startswith('"') else int(value) for key, value in re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\d+)', line)}


def recorded(report, path):
    """Time by (innermost frame, state), looks in all, and the frames of each place, as the dump has them."""
    text = subprocess.run([report, "dump", path], capture_output=True, timeout=600).stdout.decode(errors="replace")
    codes, places, last, spent, looks = {}, {}, {}, collections.Counter(), 0
    for line in text.split("\n"):
        words = line.split(" ", 3)
        if len(words) < 4 or not words[2].startswith("python_"):
            continue
        if words[2] == "python_code":
            one = fields(line)
            codes[one["id"]] = (one["function"], one["file"].split("/")[-1])
        elif words[2] == "python_place":
            one = fields(line)
            function, file = codes.get(one["code"], (None, None))
            places[one["id"]] = (one["from"], f"{function} ({file}" + (f":{one['line']}" if one["line"] else "") + ")")
        elif words[2] == "python_sample":
            one, now, thread = fields(line), int(words[0]), words[1]
            before, last[thread] = last.get(thread), now
            looks += one["looks"]
            torn = STATES[one["state"]] == STATES[8]
            if one["looks"] and (one["place"] or torn):
                name = "(stack could not be read)" if torn else places[one["place"]][1]
                spent[name, STATES[one["state"]]] += now - before if before is not None and now - before <= GAP_MAX_NS else 0
    return spent, looks, places


def whole(places):
    """Each stack as one text, the innermost first."""
    found = set()
    for place in places:
        frames = []
        while place:
            place, frame = places[place]
            frames.append(frame)
        found.add("\n".join("  " + frame for frame in frames))
    return found


def stacks(browser, report, path):
    """The timeline is shown and unpacked. Returns how many looks there are."""
    about = browser.value(f"{DATA}.about")
    spent, looks, places = recorded(report, path)
    assert about["looks"] == looks, (path, about["looks"], looks)
    table = json.loads(subprocess.run([report, "lines", "--format", "json", path], capture_output=True, timeout=600).stdout)
    assert about["looks"] == table["totals"]["samples"], (path, about["looks"], table["totals"])
    assert bool(spent) == bool(about["stretches"]), (path, about)
    if not spent:
        return 0
    if not about["merged_ns"] and not about["thinned_ns"]:
        got = collections.Counter()
        for name, state, ns in browser.value(f"""{ROWS}.filter((row) => {DATA}.about.lanes[row.lane].kind === 'samples')
                .flatMap((row) => row.duration.map((ns, at) => [{DATA}.names[row.name[at]], {DATA}.categories[row.name[at]], ns]))"""):
            got[name, state] += ns
        assert +got == +spent, (path, list((got - spent).items())[:3], list((spent - got).items())[:3])
    chosen = f"""(async () => {{ await {DATA}.stacks.load(); let best = null;
        for (const row of {ROWS}) for (let at = 0; at < row.start.length; at++)
            if (row.count[at] === 1 && %s && (!best || row.duration[at] > best.row.duration[best.at])) best = {{ row, at }};
        if (!best) return null;
        {TIMELINE}.selection = null;
        await {TIMELINE}.goTo(best);
        await {TIMELINE}.choose(best);
        return best.row.duration[best.at]; }})()"""
    lanes = f"{DATA}.about.lanes[row.lane].kind"
    # the longest stretch: its own stack
    assert browser.value(chosen % f"{lanes} === 'samples' && {DATA}.stacks.of(row.name[at]).length") is not None, path
    text = browser.value("document.querySelector('.detail pre.stack').textContent")
    assert text in {browser_text for browser_text in whole(places)}, (path, text)
    # the longest span that has one inside: no more of it than there is
    found = browser.value(chosen % f"{lanes} === 'thread' && {DATA}.stacks.laneOf({DATA}.about.lanes[row.lane]) >= 0")
    if found is None:
        return looks
    rows = browser.value(f"{DATA}.stacks.inside({TIMELINE}.chosen)")
    assert sum(row["total_ns"] for row in rows) <= found, (path, rows[:3], found)
    assert browser.value("document.querySelectorAll('.stacks tbody tr').length") == min(len(rows), 100), path
    if rows:
        browser.click(".stacks tbody tr:last-child")
        last = rows[:100][-1]
        assert browser.value("document.querySelector('.stacks pre.stack').textContent") == browser.value(f"{DATA}.stacks.text({last['stack']})"), path
    return looks
