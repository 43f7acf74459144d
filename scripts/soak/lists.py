# SPDX-License-Identifier: MIT
"""The lists in tests/soak: lines of words with a text at the end, # for comments."""
import fnmatch
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(name, words):
    """Lines of tests/soak/NAME as tuples: so many words, and the rest."""
    lines = []
    with open(os.path.join(ROOT, "tests/soak", name)) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                lines.append(tuple(line.split(None, words)))
                if len(lines[-1]) != words + 1:
                    raise SystemExit("soak: %s: '%s' is no line of this list" % (name, line.strip()))
    return [line[:-1] + (line[-1].strip(),) for line in lines]


def find(lines, name):
    """The first line whose first word is a pattern of the name, or None."""
    return next((line for line in lines if fnmatch.fnmatchcase(name, line[0])), None)
