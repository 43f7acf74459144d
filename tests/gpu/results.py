#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""results.py WORK OUT SUMMARY [--files [--keep]]

Writes OUT/results.json of what test-gpu's checks have left in WORK so far: what it says of the machine, checks with their output,
figures; half a megabyte at most. --files: the files of the checks that failed (of all: --keep) go into OUT/failed.tar.gz, the
smallest first, as many as have room.
"""
import json
import os
import sys
import tarfile

OUTPUT_BYTES = 16 << 10    # of a check
FIGURES_BYTES = 64 << 10
KEPT_BYTES = 14 << 20
FAILED = "failed.tar.gz"


def read(path, most):
    """The end of the file, where it is longer."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return ""
    cut = "(%d bytes left out)\n" % (len(data) - most) if len(data) > most else ""
    return cut + data[-most:].decode(errors="replace")


def checks_of(work):
    found = []
    folder = os.path.join(work, "checks")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        status = read(os.path.join(folder, name, "status"), 100).split()
        if len(status) == 2:
            found.append({"check": name, "status": int(status[0]), "seconds": int(status[1]),
                          "output": read(os.path.join(folder, name, "log"), OUTPUT_BYTES)})
    return found


def figures_of(work):
    lines = read(os.path.join(work, "figures"), FIGURES_BYTES).splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def files_of(work, name):
    """A check's own, and those of the runs that it shares with others (`once`)."""
    folders = [(os.path.join(work, "checks", name), "")]
    folders += [(os.path.join(work, "shared"), use)
                for use in read(os.path.join(work, "checks", name, "uses"), 4096).split()]
    for folder, beginning in folders:
        for file in os.listdir(folder):
            path = os.path.join(folder, file)
            if file.startswith(beginning) and os.path.isfile(path):
                yield path


def keep(work, out, names):
    paths = sorted({path for name in names for path in files_of(work, name)}, key=os.path.getsize)
    left = KEPT_BYTES
    with tarfile.open(os.path.join(out, FAILED), "w:gz") as archive:
        for path in paths:
            left -= os.path.getsize(path)
            if left < 0:
                break
            archive.add(path, os.path.relpath(path, work))


def main():
    work, out, summary = sys.argv[1:4]
    checks = checks_of(work)
    document = {"summary": summary, "machine": read(os.path.join(out, "results.txt"), OUTPUT_BYTES).splitlines()[:3],
                "checks": checks, "figures": figures_of(work)}
    with open(os.path.join(out, "results.json"), "w") as file:
        json.dump(document, file, indent=1)
    names = [check["check"] for check in checks if "--keep" in sys.argv or check["status"] not in (0, 77)]
    if names and "--files" in sys.argv:
        keep(work, out, names)


if __name__ == "__main__":
    main()
