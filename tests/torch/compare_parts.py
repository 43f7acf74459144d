# SPDX-License-Identifier: MIT
"""usage: compare_parts.py PROF_REPORT RECORDING SEEN NAME=TIMES:THREADS:PROCESSES...

Every user scope NAME in the recording has below it what torch.profiler saw below the one in SEEN (written
by workers.py); there are so many of them, on so many threads of so many processes.
"""
import json
import sys

import compare
import recording


def below(rows, name):
    """The operators inside of the scope. PyTorch 1 runs some of its own before it opens one."""
    first, = [i for i, row in enumerate(rows) if row[:2] == [0, name]]
    found = []
    for depth, operator, _, _ in rows[first + 1:]:
        if not depth:
            break
        found.append([depth - 1, operator, 0, 0])
    return found


def main():
    report, file, seen = sys.argv[1:4]
    found = recording.operators(report, file)
    with open(seen) as opened:
        seen = json.load(opened)
    for word in sys.argv[4:]:
        name, _, wanted = word.partition("=")
        roots = [o for o in found if o.name == name]
        threads = {o.thread for o in roots}
        counts = "%d:%d:%d" % (len(roots), len(threads), len({t.split(":")[0] for t in threads}))
        if counts != wanted:
            sys.exit("%s: %s scopes, threads and processes, not %s" % (name, counts, wanted))
        theirs = below(seen[name], name)
        for root in roots:
            text = compare.difference([recording.below(found, root)], [theirs])
            if text:
                sys.exit("%s on %s: %s" % (name, root.thread, text))
        print("%s: %d times %d operators" % (name, len(roots), len(theirs)))


main()
