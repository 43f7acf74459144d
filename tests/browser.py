# SPDX-License-Identifier: MIT
"""A real Chromium without a window, driven by its own protocol over a pipe (no network, nothing of PyPI).

    with Browser() as browser:
        browser.open("run.html")
        browser.value("document.title")
        browser.errors          # of the console, uncaught ones, and what the page's policy refused
"""
import json, os, select, shutil, subprocess, tempfile, time

LIMIT_S = 600


def end(process, log, folder):
    """Of a browser that was asked to, with what it has written."""
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    log.close()
    shutil.rmtree(folder, ignore_errors=True)


class Browser:
    def __init__(self, width=1280, height=900, dark=False):
        self.profile = tempfile.mkdtemp(prefix="browser.")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--force-color-profile=srgb", "--hide-scrollbars", f"--window-size={width},{height}", "--remote-debugging-pipe",
                   "--user-data-dir=" + self.profile, "about:blank"]

        def pipes():  # the browser reads descriptor 3 and writes 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)
            os.set_inheritable(3, True)
            os.set_inheritable(4, True)
        self.log = open(os.path.join(self.profile, "log"), "w+")
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        # whatever descriptors are 3 and 4 here, they are not the pipes' own
        self.process = subprocess.Popen(command, preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=self.log, env=environment)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.errors, self.loaded = b"", 0, [], [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    session = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (OSError, AssertionError):
            pass
        end(self.process, self.log, self.profile)

    def read(self, until):
        """The next message; None when none came until then."""
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                return None
            piece = os.read(self.inp, 1 << 20)
            assert piece, "the browser ended: " + self.tail()
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def tail(self):
        self.log.flush()
        return open(self.log.name).read()[-2000:]

    def take(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:2000])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(params["args"])[:2000])
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.errors.append(params["entry"]["text"][:2000])
        elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:", "blob:", "about:")):
            self.errors.append("asked the network for " + params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialogue: " + params["message"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + LIMIT_S
        while True:
            answer = self.read(until)
            assert answer, f"no answer to {method} in {LIMIT_S} s: " + self.tail()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.take(answer)

    def value(self, expression):
        """What the expression, or the promise that it is, gives."""
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in done, (expression, done["exceptionDetails"])
        return done["result"].get("value")

    def wait(self, expression):
        until = time.monotonic() + LIMIT_S
        while not self.value(f"!!({expression})"):
            assert time.monotonic() < until, f"not true in {LIMIT_S} s: {expression}; errors: {self.errors}"
            time.sleep(0.02)

    def open(self, path, fragment=""):
        self.loaded = False
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        self.wait("document.readyState === 'complete' && location.protocol === 'file:'")

    def point(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        box = self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); if (!e) return null; e.scrollIntoView({{block: 'center'}});"
                         " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        assert box, "there is no " + selector
        for kind in ("mousePressed", "mouseReleased"):
            self.point(kind, *box, button="left", clickCount=1)

    def drag(self, x, y, to_x, to_y, **more):
        self.point("mousePressed", x, y, button="left", clickCount=1, **more)
        for part in (0.5, 1):
            self.point("mouseMoved", x + (to_x - x) * part, y + (to_y - y) * part, button="left", buttons=1, **more)
        self.point("mouseReleased", to_x, to_y, button="left", clickCount=1, **more)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def key(self, key, code=None):
        for kind in ("keyDown", "keyUp"):
            more = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, **more)

    def picture(self, path):
        import base64
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
