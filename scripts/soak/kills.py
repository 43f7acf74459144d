# SPDX-License-Identifier: MIT
"""Random kills: a program with children is recorded; after a random time it, its collector, both, or all of its processes get
SIGKILL. After that nothing of ours may be left, the file has to read, and a program whose collector went must not notice."""
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import time

import box
import trial

COUNT = int(os.environ.get("SOAK_KILLS", "200"))
LONGEST_SECONDS = 1.2
WHOM = ("program", "collector", "both", "all")
WORK = """
import os, subprocess, sys, threading, time
def work(end):
    while time.monotonic() < end:
        [bytes(i) for i in range(500)]
end = time.monotonic() + 1
children = []
for _ in range(2):
    pid = os.fork()
    if not pid:
        work(end)
        os._exit(3)
    children.append(pid)
children.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1)"]).pid)
threading.Thread(target=work, args=(end,)).start()
work(end)
print([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children])
sys.exit(7)
"""


def plan():
    return [("kill %d: %s" % (i, WHOM[i % len(WHOM)]), WHOM[i % len(WHOM)], i) for i in range(COUNT)], []


def strike(whom, program, until):
    """SIGKILL at that moment; True when whoever was meant was there."""
    time.sleep(max(0, until - time.monotonic()))
    below = box.descendants(os.getpid())
    ours = [pid for pid, name in below.items() if name.startswith("intercept-colle")]
    meant = {"program": [program], "collector": ours, "both": [program] + ours, "all": list(below)}[whom]
    for pid in meant:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return bool(meant)


def examined(product, file):
    """(frames, what is wrong with a recording that was cut off, or ''). Reports read it, with status 0 or, unfinished, 1, and
    show its processes as soon as there is a frame."""
    done = subprocess.run([product.directory + "/prof-report", "processes", "--format", "json", file],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    try:
        document = json.loads(done.stdout.decode())
        frames, rows = document["files"][0]["frames"], document["rows"]
    except (ValueError, KeyError):
        frames, rows = 0, []
    if done.returncode in (0, 1) and bool(rows) == bool(frames):
        return frames, ""
    return frames, "%s: status %d, %d frames, %d processes: %s" % (
        os.path.basename(file), done.returncode, frames, len(rows), done.stderr.decode(errors="replace").strip()[:200])


def attempt(product, directory, task):
    name, whom, seed = task
    one = trial.Trial(name, [])
    shutil.rmtree(directory, ignore_errors=True)
    box.empty(directory)
    delay = random.Random("%d %d" % (seed, os.getpid())).uniform(0, LONGEST_SECONDS)
    environment = {"PATH": box.PATH, "HOME": directory + "/home", "LC_ALL": "C.UTF-8",
                   **product.environment(directory + "/work/run.evt")}
    process = subprocess.Popen(["/usr/bin/python3", "-c", WORK], cwd=directory + "/work", env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               preexec_fn=box.confine)
    start = time.monotonic()
    strike(whom, process.pid, start + delay)
    status = box.await_end(process, 30)
    process.returncode = status or 0
    left = box.sweep_out()
    out = process.stdout.read()
    process.stdout.close()
    files = glob.glob(directory + "/work/*.evt*")
    found = [examined(product, file) for file in files]
    wrong = [text for _, text in found if text]
    one.files, one.lines = len(files), sum(frames > 0 for frames, _ in found)
    one.state = "same"
    if whom == "collector" and (status, out) != (7, b"[3, 3, 0]\n"):
        one.state, one.detail = "differ", "after %.3f s: status %s, output '%s'" % (delay, status, out.decode())
    if wrong:
        one.state, one.detail = "broken", "after %.3f s: %s" % (delay, "; ".join(wrong))
    if any(text.startswith("intercept-colle") for text in left):
        one.state, one.detail = "left", "after %.3f s: %s" % (delay, ", ".join(left))
    shutil.rmtree(directory, ignore_errors=True)
    return one
