#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""golden.py PROF-REPORT FILE WANTED [--update]

Compares what the reports say of FILE with the JSON file WANTED: every value that is there must be said,
more is welcome. Prints the differences, exit status 1. --update adds to WANTED what it has not; what it has stays as it is, and
is still compared. Without a WANTED it is made.
"""

import json
import os
import subprocess
import sys

ALWAYS = (("alloc", "--by", "size"), ("alloc", "--by", "process"), ("lines", "--frames", "all"))


def tables(program):
    """All reports of recordings but bottleneck: advice may change, what the file holds may not."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    return [(name,) for name in names if name not in ("dump", "check", "symbolize", "bottleneck", "export", "diff", "page", "watch", "redact", "pack", "capture", "sample", "mcp")]


def read(program, path):
    said = {}
    for report in (*ALWAYS, *tables(program)):
        command = [program, *report, "--format", "json", os.path.basename(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=os.path.dirname(path) or ".")
        document = json.loads(done.stdout)
        for key in ("files", "columns"):
            document.pop(key, None)
        said[" ".join(report)] = {"exit_status": done.returncode, "document": without_functions(document)}
    return said


def without_functions(value):
    """Functions and lines of shared libraries left out: whether this machine has the build that was recorded, and a package with its
    debug information, is another answer after each update."""
    if isinstance(value, list):
        return [without_functions(row) for row in value]
    if not isinstance(value, dict):
        return value
    is_library = ".so" in str(value.get("module"))
    return {key: without_functions(part) for key, part in value.items() if not (is_library and key in ("function", "line"))}


def by_name(value):
    """The rows of the summary, a list that grows with every version, as a dict."""
    if isinstance(value, list) and value and all(isinstance(row, dict) and set(row) == {"name", "value"} for row in value):
        return {row["name"]: row["value"] for row in value}
    return value


def differences(wanted, got, where):
    wanted, got = by_name(wanted), by_name(got)
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in wanted:
            yield from differences(wanted[key], got.get(key, "nothing"), "%s.%s" % (where, key))
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, pair in enumerate(zip(wanted, got)):
            yield from differences(*pair, "%s[%d]" % (where, index))
    elif wanted != got:
        yield "%s: got %s, wanted %s" % (where, json.dumps(got)[:200], json.dumps(wanted)[:200])


def added(wanted, got):
    """`wanted`, and what only `got` has."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return {key: added(wanted[key], got.get(key)) if key in wanted else got[key] for key in {**wanted, **got}}
    if isinstance(wanted, list) and isinstance(got, list):
        if isinstance(by_name(wanted), dict) and isinstance(by_name(got), dict):
            return wanted + [row for row in got if row["name"] not in by_name(wanted)]
        if len(wanted) == len(got):
            return [added(*pair) for pair in zip(wanted, got)]
    return wanted


def write(path, document):
    with open(path, "w") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")


def main():
    program, path, wanted_path = sys.argv[1:4]
    got = read(program, path)
    updates = "--update" in sys.argv[4:]
    if updates and not os.path.exists(wanted_path):
        write(wanted_path, got)
    with open(wanted_path) as file:
        wanted = json.load(file)
    if updates and added(wanted, got) != wanted:
        wanted = added(wanted, got)
        write(wanted_path, wanted)
    found = list(differences(wanted, got, os.path.basename(path)))
    print("\n".join(found[:20]))
    return 1 if found else 0


sys.exit(main())
