#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: page-picture.py [OUT.png [RECORDING]]

Draws README's picture, docs/page.png: the timeline of the page in the tests' browser (tests/browser.py), zoomed to one step, with an
operator chosen whose arrow leads to its backward. Without a recording the demo is trained first (three epochs).
The picture has at most 200 KB.
"""
import os, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, os.environ.get("O", "build"))
sys.path.insert(0, ROOT + "/tests")
from browser import Browser

WIDTH, HEIGHT, BYTES_MAX = 1280, 720, 200_000

# The longest arrow within one step of the later half, in which Python was looked at too, and the step around it.
LOOK = """(async () => {
    const t = byId('panel').timeline, { data } = t;
    await t.arrows.load();
    await Promise.all(data.missing(data.levels.length - 1, 0, data.end));
    const steps = [...data.rows(data.levels.length - 1, 0, data.end)].filter((row) => data.about.lanes[row.lane].kind === 'steps')
        .flatMap((row) => row.start.length ? [...row.start].map((start, at) => [start, row.duration[at]]) : []).sort((a, b) => a[0] - b[0]);
    const within = ([start, duration]) => t.arrows.all.filter((one) => one.from >= start && one.to < start + duration)
        .sort((a, b) => (b.to - b.from) - (a.to - a.from));
    const stretches = [...data.rows(data.levels.length - 1, 0, data.end)].filter((row) => data.about.lanes[row.lane].kind === 'samples').flatMap((row) => [...row.start]);
    const looks = ([start, duration]) => stretches.filter((one) => one >= start && one < start + duration).length;
    const later = steps.slice(Math.floor(steps.length / 2)), has = (one) => within(one).length;
    const step = later.find((one) => has(one) && looks(one) > 3) || later.find(has) || steps.find(has);
    if (!step) return false;
    const arrow = within(step)[0];
    await t.choose(data.startingAt(arrow.fromLane, arrow.from));
    await t.look(step[0] - 0.02 * step[1], step[0] + 1.02 * step[1]);
    return t.arrows.shown.length > 0;
})()"""


def die(message):
    sys.exit("page-picture: " + message)


def record(folder):
    """The demo, under names that anybody's machine could have."""
    python = subprocess.run([ROOT + "/scripts/find-python.sh"], capture_output=True, text=True).stdout.strip()
    if not python:
        die("no Python with torch: make demo installs one")
    path = folder + "/run.evt"
    environment = dict(os.environ, PATH=os.path.dirname(python) + ":" + os.environ["PATH"], INTERCEPT_OUTPUT=path, LD_PRELOAD=BUILD + "/libintercept.so",
                       INTERCEPT_SAMPLE="1000")  # a step takes some milliseconds
    if subprocess.run(["python", "demo_train.py", "3"], cwd=ROOT + "/scripts", env=environment).returncode:
        die("the demo failed")
    return path


def draw(recording, folder):
    page, picture = folder + "/run.html", folder + "/page.png"
    if subprocess.run([BUILD + "/prof-report", "page", recording, "-o", page]).returncode:
        die(f"no page of '{recording}'")
    with Browser(WIDTH, HEIGHT) as browser:
        browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        browser.open(page, "#timeline")
        browser.wait("page.shown !== null && byId('panel').timeline")
        if not browser.value(LOOK):
            die(f"'{recording}' has no step with an arrow: record the demo")
        browser.value("scrollTo(0, 0); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        browser.picture(picture)
        if browser.errors:
            die("the page has errors: " + browser.errors[0])
    if os.path.getsize(picture) > BYTES_MAX:
        die(f"the picture has {os.path.getsize(picture)} bytes, more than {BYTES_MAX}")
    return open(picture, "rb").read()


def main(out=ROOT + "/docs/page.png", recording=None):
    with tempfile.TemporaryDirectory() as folder:
        picture = draw(os.path.abspath(recording) if recording else record(folder), folder)
    with open(out, "wb") as file:
        file.write(picture)
    print(out, len(picture))


if __name__ == "__main__":
    main(*sys.argv[1:])
