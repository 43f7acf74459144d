# SPDX-License-Identifier: MIT
"""usage: compare_nvtx.py PROF_REPORT RECORDING

Between the marks of nvtx.py the NVTX ranges that emit_nvtx() made are the operators that we saw.
"""
import collections
import json
import subprocess
import sys

import recording


def main():
    report, file = sys.argv[1:]
    window, = recording.windows(recording.operators(report, file))
    ours = collections.Counter(row[1] for thread in window for row in thread)
    text = subprocess.run([report, "nvtx", "--format", "json", "--limit", "0", file], check=True,
                          stdout=subprocess.PIPE).stdout
    theirs = collections.Counter()
    for row in json.loads(text)["rows"]:
        theirs[row["name"].split(", ")[0]] += row["count"]
    wrong = {name: (ours[name], theirs[name]) for name in set(ours) | set(theirs) if ours[name] != theirs[name]}
    if wrong or not ours:
        sys.exit("operators, ranges of emit_nvtx: %s" % wrong)
    print("%d operators" % sum(ours.values()))


main()
