# SPDX-License-Identifier: MIT
"""usage: main.py [--build DIRECTORY] [--jobs N] [--write] [--case NAME] [--only PATTERN] PART...
What `make soak` runs; see scripts/soak.sh. PART: sweep, jobs, cpython, kills."""
import argparse
import fnmatch
import functools
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time

import box
import cpython
import jobs
import kills
import lists
import results
import sweep
import trial
import write

PARTS = {"sweep": sweep, "jobs": jobs, "cpython": cpython, "kills": kills}


def attempt(part, product, scratch, end, task):
    """The Trial of one task, in a worker; the worker's own error is one, too."""
    if end and time.monotonic() > end:
        late = trial.Trial(task[0], [])
        late.state = "late"
        return late
    try:
        return PARTS[part].attempt(product, "%s/%d" % (scratch, os.getpid()), task)
    except Exception as error:  # pylint: disable=broad-except
        failed = trial.Trial(task[0], [])
        failed.state, failed.detail = "error", "%s: %s" % (type(error).__name__, error)
        return failed


def prepare():
    """A worker, before its first task."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    box.prepare()


def run_part(part, product, scratch, options):
    """(trials, [(name, reason)])"""
    tasks, out = PARTS[part].plan(options.case) if part == "jobs" else PARTS[part].plan()
    tasks = [task for task in tasks if fnmatch.fnmatchcase(task[0], options.only)]
    trials, start = [], time.monotonic()
    end = start + options.seconds if options.seconds else None
    with multiprocessing.Pool(options.jobs, prepare) as pool:
        for done in pool.imap_unordered(functools.partial(attempt, part, product, scratch, end), tasks):
            if done.state == "late":
                out.append((done.name, "no time was left"))
                continue
            trials.append(done)
            if done.state not in ("same", "numbers", "unsteady"):
                print("soak: %s: %s: %s" % (done.name, done.state, done.detail), file=sys.stderr, flush=True)
    return results.Results(part, trials, out, time.monotonic() - start)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0].replace("usage: ", ""))
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, help="start nothing new in a part after that time")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--case")
    parser.add_argument("--only", default="*")
    parser.add_argument("part", nargs="+", choices=sorted(PARTS))
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # cleans up
    # Whoever runs the programs has to get there: root's TMPDIR, and what root writes, may be root's alone.
    os.umask(0o022)
    scratch = tempfile.mkdtemp(prefix="intercept-soak.", dir="/tmp" if box.user() else None)
    expected = lists.read("expected.txt", 2)
    try:
        product = trial.Product(options.build, scratch)
        done = [run_part(part, product, scratch, options) for part in options.part]
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for part in done:
        print(part.text(expected))
        if options.write:
            write.block(part.part, part.document(expected))
    if not any(part.trials for part in done):
        print("nothing could be run")
        return 77
    return 1 if any(part.surprises(expected) for part in done) else 0


if __name__ == "__main__":
    sys.exit(main())
