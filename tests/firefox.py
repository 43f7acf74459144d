#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""firefox.py PAGE...: each page in a real Firefox without a window, driven by its own protocol (Marionette, on a port of this machine).

Every panel is opened with a click on its tab and drawn without a word of an error; a click on the timeline's canvas shows a span.
Prints what was drawn, or what is wrong with exit status 1.
"""
import json, os, socket, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import LIMIT_S, end

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's key of a reference to an element (W3C WebDriver)
PREFERENCES = {"marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
               "toolkit.telemetry.enabled": False, "app.update.disabledForTesting": True, "network.proxy.type": 1, "network.proxy.socks": "127.0.0.1",
               "network.proxy.socks_port": 9, "browser.aboutwelcome.enabled": False}


class Firefox:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="firefox.")
        self.profile = os.path.join(self.home, "profile")
        os.mkdir(self.profile)
        with open(os.path.join(self.profile, "user.js"), "w") as out:
            for name, value in PREFERENCES.items():
                out.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        environment["HOME"] = self.home
        self.log = open(os.path.join(self.home, "log"), "w")
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", self.profile, "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        self.number, self.buffer = 0, b""
        self.socket = self.connect()
        self.message()  # its greeting
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": False}})
        self.call("WebDriver:SetTimeouts", script=LIMIT_S * 1000)

    def connect(self):
        until, at = time.monotonic() + LIMIT_S, os.path.join(self.profile, "MarionetteActivePort")
        while time.monotonic() < until and self.process.poll() is None:
            try:
                return socket.create_connection(("127.0.0.1", int(open(at).read())), LIMIT_S)
            except (OSError, ValueError):
                time.sleep(0.05)
        raise AssertionError("Firefox does not start: " + open(self.log.name).read()[-2000:])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Marionette:Quit", flags=["eForceQuit"])
        except (OSError, AssertionError):
            pass
        self.socket.close()
        end(self.process, self.log, self.home)

    def more(self):
        piece = self.socket.recv(1 << 20)
        assert piece, "Firefox has ended"
        self.buffer += piece

    def message(self):
        """The next one: its length in digits, a colon, JSON."""
        while b":" not in self.buffer:
            self.more()
        length, self.buffer = self.buffer.split(b":", 1)
        while len(self.buffer) < int(length):
            self.more()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(text)

    def call(self, command, **parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self.message()
        assert number == self.number and not error, (command, error)
        return result

    def value(self, expression):
        return self.call("WebDriver:ExecuteScript", script="return " + expression, args=[])["value"]

    def wait(self, expression):
        until = time.monotonic() + LIMIT_S
        while not self.value(f"!!({expression})"):
            assert time.monotonic() < until, f"not true in {LIMIT_S} s: {expression}; the panel: {self.value(TEXT)[:500]}"
            time.sleep(0.05)

    def open(self, path, fragment=""):
        self.call("WebDriver:Navigate", url="file://" + os.path.abspath(path) + fragment)

    def click(self, selector):
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:ElementClick", id=found[ELEMENT])

    def press(self, selector, x, y):
        """The mouse's button, so far from the middle of the element."""
        found = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:PerformActions", actions=[{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "origin": found, "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}])


TEXT = "document.getElementById('panel').textContent"
# Whether a canvas has more than one colour: something is drawn.
DRAWN = """[...document.querySelectorAll('#panel canvas')].every((one) => {
    const pixels = new Uint32Array(one.getContext('2d').getImageData(0, 0, one.width, one.height).data.buffer);
    return pixels.some((pixel) => pixel !== pixels[0]);
})"""


def go(firefox, place):
    """To a part of the page, by its address."""
    before = firefox.value("(byId('panel').firstChild.before = 1)")
    firefox.value(f"location.hash === '#{place}' ? panelShow() : (location.hash = {json.dumps(place)})")
    firefox.wait(f"byId('panel').firstChild && byId('panel').firstChild.before !== {before}")


def page(firefox, path):
    firefox.open(path)
    firefox.wait("document.title.endsWith('intercept') && document.querySelectorAll('.card').length")
    tabs = firefox.value("[...document.querySelectorAll('#tabs button')].map((one) => one.id)")
    assert len(tabs) >= 7, tabs
    canvases = 0
    for tab in tabs:
        before = firefox.value("(byId('panel').firstChild.before = 1)")
        firefox.click("#" + tab)
        firefox.wait(f"byId('{tab}').getAttribute('aria-selected') === 'true' && byId('panel').firstChild.before !== {before}")
        text = firefox.value(TEXT)
        assert text.strip() and "cannot be shown" not in text, (path, tab, text[:500])
        firefox.wait(DRAWN)
        canvases += firefox.value("document.querySelectorAll('#panel canvas').length")
    return len(tabs), canvases


def span(firefox):
    """A click right below the first lane's title meets the first span that is there."""
    firefox.click("#tab-timeline")
    firefox.wait("document.querySelector('#panel canvas')")
    width, height = firefox.value("(({ width, height }) => [width, height])(document.querySelector('#panel canvas').getBoundingClientRect())")
    for part in range(1, 20):
        firefox.press("#panel canvas", int(width * (part / 20 - 0.5)), int(20 + 16 + 7 - height / 2))
        if firefox.value("!!document.querySelector('.detail pre')"):
            return firefox.value("document.querySelector('.detail pre').textContent")
    raise AssertionError("no span is met by clicks on the first lane")


def main(*paths):
    with Firefox() as firefox:
        for path in paths:
            tabs, canvases = page(firefox, path)
            print(path, tabs, "panels", canvases, "canvases")
        print(span(firefox).split("\n")[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
