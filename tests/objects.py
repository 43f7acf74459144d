#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: objects.py RECORDED LOADED [MINIMUM]

RECORDED is the output of `prof-report dump`, LOADED has a line "object BIAS PATH" for each object as ld.so says. Every object has to
be one module of the recording, at that bias. Prints how many are; MINIMUM have to be.
"""
import os
import re
import sys


def recorded(path):
    modules = {}
    pattern = re.compile(r" module process=1 .*bias=(\d+) path=\"([^\"]*)\"")
    with open(path, errors="surrogateescape") as lines:
        for line in lines:
            found = pattern.search(line)
            if found:
                modules.setdefault(found.group(2), []).append(int(found.group(1)))
    return modules


def loaded(path):
    with open(path, errors="surrogateescape") as lines:
        for line in lines:
            if line.startswith("object "):
                _, bias, name = line.rstrip("\n").split(" ", 2)
                if name.startswith("/"):
                    yield int(bias), os.path.realpath(name)


def main():
    modules = recorded(sys.argv[1])
    good = bad = 0
    for bias, name in loaded(sys.argv[2]):
        if modules.get(name) == [bias]:
            good += 1
        else:
            bad += 1
            print("%s: loaded at bias %#x, recorded at %s" % (
                name, bias, " ".join(map(hex, modules.get(name, []))) or "none"))
    print("%d objects" % good)
    minimum = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    sys.exit(bad > 0 or good < minimum)


main()
