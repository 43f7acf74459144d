#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: seeking.py PROF_REPORT CUTS FILE [REPORT...]

What a report says of a part of the time must be the same, byte by byte, whether segments of the file are passed over or the
whole file is read (PROF_REPORT_SEEK=off). Compared are all reports, or those that are named (with options), as JSON with all rows, for
CUTS times and steps, and for the ranges that stand in the file. Prints what differs and how many answers were compared;
exit status 1 if any differs.
"""
import json
import os
import re
import subprocess
import sys

NOT_COMPARED = {"dump", "check", "symbolize", "redact", "export", "diff", "page", "pack", "watch", "capture", "sample", "flame"}


def run(program, *arguments, seek="on"):
    return subprocess.run((program,) + arguments, capture_output=True, check=False, timeout=600,
                          env=dict(os.environ, PROF_REPORT_SEEK=seek))


def reports_of(program):
    text = run(program, "--help").stdout.decode().split("reports:\n", 1)[1].split("\n\n", 1)[0]
    return [name for name in re.findall(r"^  (\S+)", text, re.M) if name not in NOT_COMPARED]


def rows_of(program, report, path, *options):
    done = run(program, report, path, "--format", "json", "--limit", "0", *options, seek="off")
    return json.loads(done.stdout)["rows"] or [] if done.returncode == 0 else []


def parts_of(program, path, cuts):
    """The options whose answers are compared."""
    wall = json.loads(run(program, "summary", path, "--format", "json").stdout)["totals"]["wall_ns"]
    edge = [wall * i // cuts for i in range(cuts + 1)]
    for i in range(cuts):
        yield ("--time", "%dns..%dns" % (edge[i], edge[i + 1]))
    yield ("--time", "%dns.." % edge[-2])
    yield ("--time", "..%dns" % edge[1])
    yield ("--time", "-%dns.." % (wall // cuts))
    steps = [row["step"] for row in rows_of(program, "steps", path)]
    for i in range(cuts if steps else 0):
        first = steps[len(steps) * i // cuts]
        yield ("--step", "%d..%d" % (first, first + i % 3))
    if steps:
        yield ("--step", str(steps[0]))
        yield ("--step", str(steps[-1]))
    names = sorted({row["name"] for row in rows_of(program, "nvtx", path) if row.get("name")})
    for name in names[:2]:
        yield ("--range", name)
        yield ("--during", name, "--time", "%dns..%dns" % (edge[1], edge[2]))


def main(program, cuts, path, *names):
    compared = differ = 0
    for part in list(parts_of(program, path, int(cuts))):
        for report in names or reports_of(program):
            arguments = (*report.split(), path, "--format", "json", "--limit", "0") + part
            seeking, whole = run(program, *arguments), run(program, *arguments, seek="off")
            compared += 1
            if (seeking.returncode, seeking.stdout, seeking.stderr) != (whole.returncode, whole.stdout, whole.stderr):
                differ += 1
                print("differs: %s %s" % (report, " ".join(part)))
                for one, other in zip((seeking.stdout + seeking.stderr).decode().splitlines(),
                                      (whole.stdout + whole.stderr).decode().splitlines()):
                    if one != other:
                        print("  with   %s\n  without %s" % (one[:300], other[:300]))
                        break
    print("%s: %d answers compared, %d differ" % (path, compared, differ))
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
