# SPDX-License-Identifier: MIT
"""Memory over time in the page, by what it belonged to, compared with `prof-report alloc --time 0..T` and `tensors`: what lives at a moment
is what was allocated before it and not freed until then."""
import collections, json, subprocess

PARTS_MAX = 48  # as report/page/page_layers.c
BY = {"line of Python": ("alloc", "python"), "function": ("alloc", "function"), "operator": ("tensors", "op")}


def processes_of(report, path):
    done = subprocess.run([report, "processes", "--format", "json", "--limit", "0", path], capture_output=True, timeout=600)
    return json.loads(done.stdout)["rows"]


def live(report, path, entry, time):
    """Live bytes by name at a moment, as the report has them, and of all; of processes that run then, and of the last one as it ends.

    None where the report's rows are of something else: of estimates, or of what lived before Python freed what it had left at its end."""
    name, by = BY[entry["by"]]
    processes = processes_of(report, path)
    last = max((one["end_ns"] or 0 for one in processes), default=0)
    running = [one["pid"] for one in processes if not one["end_ns"] or one["end_ns"] > time or one["end_ns"] == last]
    chosen = [[]] if len(processes) <= 1 else [["--process", str(pid)] for pid in running]
    sizes, ends, is_other = collections.Counter(), 0, False
    for choice in chosen:
        done = subprocess.run([report, name, "--by", by, "--time", f"0..{time}", *choice, "--format", "json", path], capture_output=True, timeout=600)
        answer = json.loads(done.stdout)
        of = collections.Counter()
        for row in answer["rows"]:
            of[row[by]] += row["live_bytes"]
        is_other |= any(row.get("estimated_live_bytes") is not None for row in answer["rows"])
        is_other |= name == "alloc" and sum(of.values()) != answer["totals"]["end_bytes"]
        ends += answer["totals"]["end_bytes"] if name == "alloc" else sum(of.values())
        sizes += of
    return None if is_other else sorted((size for size in sizes.values() if size), reverse=True), ends


def check_categories(report, path, entry, data, at):
    """The device's row of `tensors --by moment`."""
    done = subprocess.run([report, "tensors", "--by", "moment", "--format", "json", "--limit", "0", path], capture_output=True, timeout=100)
    row = next(row for row in json.loads(done.stdout)["rows"] if row["moment_ns"] == data["times"][at] and entry["by"].endswith(" on " + row["device"]))
    assert row["all_bytes"] == data["all"][at], (path, entry, row, data["all"][at])
    names, sizes = data["parts"][at]
    for name, size in zip(names, sizes):
        assert row[data["names"][name].split()[0] + "_bytes"] == size, (path, entry, row)


def check_moment(report, path, entry, data, at):
    if entry["by"] not in BY:
        check_categories(report, path, entry, data, at)
        return
    names, sizes = data["parts"][at]
    wanted, whole = live(report, path, entry, data["times"][at])
    assert whole == data["all"][at], (path, entry, at, data["times"][at], whole, data["all"][at])
    if wanted is None:
        return
    assert sorted(sizes, reverse=True) == sizes and len(set(names)) == len(names)
    if entry["of"] == "heap":  # tensors of an operator on two devices are two rows, or one
        assert sizes == wanted[:PARTS_MAX], (path, entry, data["times"][at], sizes[:6], wanted[:6])


def layers(browser, report, path):
    """The memory panel is shown. How many charts there are; each adds up, and a click lists what lived."""
    entries = [one for one in browser.value("page.manifest.pieces") if one["kind"] == "layers"]
    allocations = json.loads(subprocess.run([report, "alloc", "--format", "json", "--limit", "1", path], capture_output=True, timeout=600).stdout)["totals"]
    processes = len(processes_of(report, path))
    assert any(one["of"] == "heap" for one in entries) == (allocations["allocations"] > 0), (path, entries)
    for number, entry in enumerate(entries):
        data = browser.value(f"piece('{entry['id']}')")
        count = len(data["times"])
        assert 0 < count <= 192 and len(data["all"]) == len(data["parts"]) == count
        assert data["times"] == sorted(set(data["times"])) or data["times"][:-1] == sorted(set(data["times"][:-1])), (path, entry)
        for (names, sizes), whole in zip(data["parts"], data["all"]):
            assert len(names) == len(sizes) and sum(sizes) <= whole and all(size > 0 for size in sizes), (path, entry)
        if entry["of"] == "heap":
            assert data["all"][-1] <= allocations["end_bytes"], (path, entry)  # but for what others had as they ended
            assert data["all"][-1] == allocations["end_bytes"] or processes > 1, (path, entry)
            assert max(data["all"]) <= allocations["peak_bytes"], (path, entry)
        chart = f"byId('panel').charts[{number}]"
        at = data["all"].index(max(data["all"]))
        for moment in {at, count // 2, count // 3}:
            check_moment(report, path, entry, data, moment)
        # a click in the middle of the moment's time; the arrow key goes on
        browser.value(f"(() => {{ const c = {chart}; c.canvas.scrollIntoView({{ block: 'center' }}); c.canvas.focus(); return 1; }})()")
        x, y = browser.value(f"""(() => {{ const c = {chart}, b = c.canvas.getBoundingClientRect(), next = c.data.times[{at} + 1] || c.end;
            return [b.x + Math.min((c.data.times[{at}] + next) / 2 / c.end * b.width, b.width - 2), b.y + 40]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            browser.point(kind, x, y, button="left", clickCount=1)
        chosen = browser.value(f"{chart}.at")
        assert chosen >= 0, (path, entry)
        rows = browser.value(f"{chart}.lived.rows")
        assert sum(row["bytes"] for row in rows) == data["all"][chosen], (path, entry, chosen)
        assert browser.value(f"{chart}.lived.querySelectorAll('tbody tr').length") == len(rows)
        browser.value(f"{chart}.canvas.focus(); 1")
        browser.key("ArrowLeft")
        assert browser.value(f"{chart}.at") == max(0, chosen - 1)
        heights = browser.value(f"{chart}.heights")
        assert all(abs(sum(one) - whole) < 1 for one, whole in zip(heights, data["all"])), (path, entry)
    return len(entries)
