# SPDX-License-Identifier: MIT
"""usage: compare.py PROF_REPORT RECORDING PROOF

What torch.profiler saw (PROOF, written by proof.py) is what we recorded: the same operators in the same
tree on as many threads. Times are only told: how far ours are from torch.profiler's, and those of two runs
of torch.profiler from each other.
"""
import collections
import json
import statistics
import sys

import recording


def tree(rows):
    return [tuple(row[:2]) for row in rows]


def difference(ours, theirs):
    """None, or a line about the first place where the trees differ."""
    if len(ours) != len(theirs):
        counts = [[collections.Counter(row[1] for row in thread) for thread in side] for side in (ours, theirs)]
        return "%d threads, %d in torch.profiler: %s" % (len(ours), len(theirs), counts)
    for mine, other in zip(sorted(ours, key=tree), sorted(theirs, key=tree)):
        for i, (a, b) in enumerate(zip(tree(mine), tree(other))):
            if a != b:
                return "operator %d is %s, in torch.profiler %s, after %s" % (i, a, b, tree(mine)[max(0, i - 4):i])
        if len(mine) != len(other):
            return "%d operators, %d in torch.profiler, then %s" % (
                len(mine), len(other), (tree(mine) + tree(other))[min(len(mine), len(other)):][:4])
    return None


def times(threads, column):
    found = collections.Counter()
    for rows in threads:
        for row in rows:
            found[row[1]] += row[column]
    return found


def distance(a, b, column):
    """Median over the names of how far the times are apart, in percent."""
    a, b = times(a, column), times(b, column)
    return statistics.median(100 * abs(a[name] - b[name]) / max(1, a[name], b[name]) for name in b)


def main():
    report, file, proof = sys.argv[1:]
    found = recording.operators(report, file)
    windows = list(recording.windows(found))
    wrong = []
    with open(proof) as opened:
        models = json.load(opened)
    if len(windows) != 2 * len(models):
        sys.exit("%d windows, not two for each of %d models" % (len(windows), len(models)))
    for name, runs in models.items():
        ours, windows = windows[:2], windows[2:]
        for mine, theirs in zip(ours, runs):
            text = difference(mine, theirs)
            if text:
                wrong.append("%s: %s" % (name, text))
        if not all(map(any, runs)):
            wrong.append("%s: torch.profiler saw nothing" % name)
        told = ["%s %.0f %% from torch.profiler's, whose two runs are %.0f %% apart" % (
            word, statistics.median(distance(m, t, column) for m, t in zip(ours, runs)),
            distance(runs[0], runs[1], column)) for word, column in (("total", 2), ("self", 3))]
        print("%s: %d operators; times: %s" % (name, sum(map(len, runs[0])), "; ".join(told)))
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
