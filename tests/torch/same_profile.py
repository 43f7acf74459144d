#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_profile.py ALONE BESIDE [PROF-REPORT FILE]

Did torch.profiler find the same alone and beside us (two outputs of profiled.py)? Numbers are equal, and each duration to
a nanosecond: the TSC's units are converted by everybody. With FILE: each kernel, copy and memset of BESIDE is in `gpu-trace`
over FILE, by process and correlation, with its duration, and at its time.
"""

import collections
import json
import subprocess
import sys

START_MAX_NS = 2000000  # both extrapolate the TSC
differences = []


def differ(*words):
    differences.append(" ".join(str(word) for word in words))


def close(mine, theirs, calls=1):
    return abs(mine - theirs) <= calls


def by_name(session):
    sums = collections.defaultdict(list)
    for _, kind, name, duration, _ in session["work"]:
        sums[kind, name].append(duration)
    return {key: sorted(durations) for key, durations in sums.items()}


def compare(number, alone, beside):
    for key in "kinds", "linked", "called":
        if alone[key] != beside[key]:
            differ("session", number, key, "alone", alone[key], "beside", beside[key])
    rows = {row[0]: row[1:] for row in beside["table"]}
    if {row[0] for row in alone["table"]} != set(rows):
        differ("session", number, "rows", alone["table"], beside["table"])
        return
    for name, count, total in alone["table"]:
        # a step on the GPU reaches from its first work to its last: its length is the host's
        if rows[name][0] != count or not (close(rows[name][1], total, 8 * count) or name.startswith("ProfilerStep")):
            differ("session", number, "row", name, "alone", count, total, "beside", *rows[name])
    mine, theirs = by_name(alone), by_name(beside)
    if {key: len(each) for key, each in mine.items()} != {key: len(each) for key, each in theirs.items()}:
        differ("session", number, "trace", mine, theirs)
        return
    for key, each in mine.items():
        if not all(close(one, other) for one, other in zip(each, theirs[key])):
            differ("session", number, *key, "alone", each, "beside", theirs[key])


def compare_ours(sessions, program, path):
    command = (program, "gpu-trace", "--format", "json", "--wait", "60", "--limit", "0", path)
    rows = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rows"]
    ours = collections.defaultdict(list)
    for row in rows:
        ours[row["pid"], row["correlation"]].append(row)
    apart = []
    for pid, correlation, kind, name, duration, start in ((session["pid"], *each) for session in sessions for each in session["work"]):
        found = [row for row in ours[pid, correlation] if close(row["duration_ns"], duration)]
        if len(found) != 1:
            differ(kind, name, "of call", correlation, "takes", duration, "ours:", ours[pid, correlation])
        else:
            apart.append(start * 1000 - found[0]["start_ns"])
    if apart and max(apart) - min(apart) > START_MAX_NS:
        differ("starts are apart by", max(apart) - min(apart), "ns")
    if not apart:
        differ("nothing to compare")


def main():
    with open(sys.argv[1]) as one, open(sys.argv[2]) as other:
        alone, beside = json.load(one), json.load(other)
    if len(alone) != len(beside):
        differ(len(alone), "sessions alone,", len(beside), "beside")
    if not all(session["work"] and session["table"] for session in alone):
        differ("torch.profiler found nothing alone")
    for number, pair in enumerate(zip(alone, beside)):
        compare(number, *pair)
    if len(sys.argv) > 3:
        compare_ours(beside, *sys.argv[3:])
    print("\n".join(differences[:20]))
    sys.exit(bool(differences))


if __name__ == "__main__":
    main()
