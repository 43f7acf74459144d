#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
judge.py PROF-REPORT NAME FILE

Looks whether the first screen of a recording of programs/NAME.py names the place that causes.txt has for it: its verdict,
which is all that stands above the first empty line. Prints what is wrong.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import first_screen  # noqa: E402


def cause_of(name):
    with open(os.path.join(HERE, "causes.txt"), encoding="utf-8") as file:
        for line in file:
            parts = [part.strip() for part in line.split("|")]
            if parts[0] == name:
                return parts
    raise SystemExit(f"causes.txt lacks {name}")


def number_of(name, words):
    with open(os.path.join(HERE, "programs", name + ".py"), encoding="utf-8") as file:
        numbers = [number for number, line in enumerate(file, 1) if words in line]
    if len(numbers) != 1:
        raise SystemExit(f"programs/{name}.py: {len(numbers)} lines have {words}")
    return numbers[0]


def main(report, name, path):
    _, _, words, library, functions, _ = cause_of(name)
    screen = first_screen.on_terminal([os.path.abspath(report), os.path.basename(path)], os.path.dirname(path))
    verdict = " ".join(screen.split("\n\n", maxsplit=1)[0].split("\n"))
    place = rf"\b{name}\.py:{number_of(name, words)}\b"
    behind = rf"mostly in {re.escape(library)}\S*:\d+ \((\w+)\)"
    found = re.search(behind, verdict)
    if not re.search(place, verdict) or not found or (functions and found[1] not in functions.split()):
        print(f"{name}: not the place that was changed: {place}, {behind} of {functions or 'any'}:\n{screen}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
