# SPDX-License-Identifier: MIT
"""One command tried: bare, bare again and under the preload, and what came of it."""
import glob
import os
import re
import shutil
import subprocess

import box
import lists

OURS = re.compile(rb"(?m)^(declare -x |export )?(LD_PRELOAD|INTERCEPT_\w+|CUDA_INJECTION64_PATH|NVTX_INJECTION64_PATH)=.*\n")
NUMBERS = re.compile(rb"0x[0-9a-f]+|[0-9]+(\.[0-9]+)?")
MORE_BARE_RUNS = 3  # before a difference is one


class Product:
    """The three programs, copied where everybody can read them."""

    def __init__(self, build, directory):
        self.directory = os.path.join(directory, "product")
        os.makedirs(self.directory)
        os.chmod(directory, 0o755)
        for name in ("libintercept.so", "intercept-collector", "prof-report"):
            shutil.copy(os.path.join(build, name), self.directory)
        # what the jobs that compile have to compile
        self.tree = os.path.join(directory, "tree")
        for name in ("collector", "report", "preload", "scripts"):
            shutil.copytree(os.path.join(lists.ROOT, name), os.path.join(self.tree, name))
        shutil.copy(os.path.join(lists.ROOT, "Makefile"), self.tree)

    def environment(self, output):
        return {"LD_PRELOAD": self.directory + "/libintercept.so", "INTERCEPT_CHILDREN": "all",
                "INTERCEPT_KEEP": "1000", "INTERCEPT_OUTPUT": output,
                **dict(setting.split("=", 1) for setting in os.environ.get("SOAK_SETTINGS", "").split())}

    def broken(self, output_directory):
        """Recordings that `check` has anything against, as 'NAME: its first line'."""
        found = []
        files = sorted(glob.glob(output_directory + "/*.evt*"))
        for file in files:
            done = subprocess.run([self.directory + "/prof-report", "check", file], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=120)
            if done.returncode:
                found.append(done.stdout.decode(errors="replace").strip().split("\n")[0])
        return len(files), found


class Trial:
    """state: same, numbers (the same but for numbers, which two bare runs do not agree in either), unsteady
    (bare runs differ: status compared only), differ, hang, left, broken, or none (it does not end when bare)."""

    def __init__(self, name, argv):
        self.name, self.argv = name, argv
        self.state, self.detail, self.files, self.lines, self.seconds = "none", "", 0, 0, 0.0


def shown(run):
    """What is compared of a run: all but the lines of `env` that are our own settings."""
    return run.status, OURS.sub(b"", run.out), OURS.sub(b"", run.err)


def masked(view):
    return view[0], NUMBERS.sub(b"N", view[1]), NUMBERS.sub(b"N", view[2])


def line_that_differs(what, old, new):
    """'' or one line with the first that differs."""
    old, new = old.split(b"\n"), new.split(b"\n")
    for i in range(max(len(old), len(new))):
        left, right = (old[i:i + 1] or [b""])[0], (new[i:i + 1] or [b""])[0]
        if left != right:
            return "%s, line %d: '%s', bare '%s'" % (what, i + 1, right.decode(errors="replace")[:120],
                                                     left.decode(errors="replace")[:120])
    return ""


def first_difference(bare, traced):
    """One line that says what differs."""
    status = "status %s, bare %s" % (traced[0], bare[0]) if bare[0] != traced[0] else ""
    found = [status, line_that_differs("output", bare[1], traced[1]),
             line_that_differs("standard error", bare[2], traced[2])]
    return "; ".join(text for text in found if text)


def judge(bare, traced, again):
    """(state, detail). bare: views of at least one run; again(): one more of them."""
    while True:
        if all(view == traced for view in bare):
            return "same", ""
        steady = all(view == bare[0] for view in bare)
        if not steady and all(masked(view) == masked(traced) for view in bare):
            return "numbers", ""
        if not steady and traced[0] in [view[0] for view in bare]:
            return "unsteady", ""
        if len(bare) > MORE_BARE_RUNS:
            break
        bare.append(again())
    return "differ", first_difference(bare[0], traced)


def attempt(product, directory, name, argv, bare_seconds, traced_seconds, more=None, bare_runs=2):
    """The trial of one command; directory: where its boxes are made, removed at the end; more: of the environment;
    bare_runs: before it; more of them follow where something differs."""
    trial = Trial(name, argv)
    where, output = directory + "/box", directory + "/out"
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(output)
    os.chmod(output, 0o777)

    def again():
        return shown(box.run(argv, where, bare_seconds, more or {}))

    bare = []
    for _ in range(bare_runs):
        bare.append(again())
        if bare[-1][0] is None:
            trial.detail = "does not end in %d s" % bare_seconds
            shutil.rmtree(directory, ignore_errors=True)
            return trial
    run = box.run(argv, where, traced_seconds, {**(more or {}), **product.environment(output + "/run.evt")})
    trial.seconds, trial.lines = run.seconds, run.out.count(b"\n")
    if run.status is None:
        trial.state, trial.detail = "hang", "no end in %d s under the preload" % traced_seconds
    else:
        trial.state, trial.detail = judge(bare, shown(run), again)
    trial.files, broken = product.broken(output)
    if trial.state not in ("differ", "hang") and broken:
        trial.state, trial.detail = "broken", "; ".join(broken)
    if trial.state not in ("differ", "hang", "broken") and "intercept-colle" in run.left:
        trial.state, trial.detail = "left", "left behind: " + ", ".join(run.left)
    shutil.rmtree(directory, ignore_errors=True)
    return trial
