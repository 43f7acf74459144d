# SPDX-License-Identifier: MIT
"""The jobs: tests/soak/jobs/NAME.sh, each the work of real programs, tried as a whole."""
import glob
import os
import re
import shutil

import box
import lists
import trial

FOLDER = os.environ.get("SOAK_JOBS") or os.path.join(lists.ROOT, "tests/soak/jobs")


def header(path):
    """{word: value} of the comments '# word: value' at a job's top."""
    with open(path) as file:
        return dict(re.findall(r"(?m)^# (\w+): *(.*?) *$", file.read()))


def missing(words):
    """The first of the programs and files that is not here, or None."""
    for word in words.split():
        there = glob.glob(word) if word.startswith("/") else shutil.which(word, path=box.PATH)
        if not there:
            return word
    return None


def plan(case=None):
    """Jobs of one case of `make test`, or all."""
    tasks, out = [], []
    for path in sorted(glob.glob(FOLDER + "/*.sh")):
        name, words = "job:" + os.path.basename(path)[:-3], header(path)
        if case and words.get("case") != case:
            continue
        lacks = missing(words.get("needs", ""))
        if lacks:
            out.append((name, "'%s' is not installed" % lacks))
        else:
            tasks.append((name, path, int(words.get("limit", "60"))))
    return tasks, out


def attempt(product, directory, task):
    name, path, limit = task
    here = os.path.join(product.directory, os.path.basename(path))
    shutil.copy(path, here)
    return trial.attempt(product, directory, name, ["/bin/bash", here], limit, 3 * limit,
                         {"SOAK_TREE": product.tree})
