# SPDX-License-Identifier: MIT
"""Rows of the result table and their text."""

HEADER = ("what", "ours", "bare", "peer", "theirs", "ours/theirs", "target", "met")


def number(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return "%.0f" % value if abs(value) >= 100 else "%.1f" % value if abs(value) >= 20 else "%.2f" % value


def row(what, ours=None, bare=None, peer="", theirs=None, target="", met=None):
    """One line. `met` is True, False, or None where there is no target."""
    ratio = ours / theirs if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)) and theirs else None
    return (what, number(ours), number(bare), peer, number(theirs), number(ratio), target,
            "" if met is None else "yes" if met else "no")


def with_peers(what, ours, bare, peers, target="", limit=None, share=None, at_least=False):
    """A line for ours and the first peer, one more for each other peer.

    peers: [(name, value or a text that says what is missing)]. The target is met when ours is within
    `limit` (a maximum, or a minimum when at_least) and, where the first peer is there, within its `share`.
    """
    met = None
    if limit is not None and ours is not None:
        met = ours >= limit if at_least else ours <= limit
    first = peers[0][1] if peers else None
    if share is not None and isinstance(first, (int, float)) and ours is not None:
        met = (met is not False) and ours <= share * first
    name, theirs = peers[0] if peers else ("", None)
    rows = [row(what, ours, bare, name, theirs, target, met)]
    for name, theirs in peers[1:]:
        line = row("", ours, None, name, theirs)
        rows.append((line[0], "") + line[2:])
    return rows


def text(rows):
    widths = [max(len(line[i]) for line in [HEADER] + rows) for i in range(len(HEADER))]
    right = {1, 2, 4, 5}

    def show(line):
        return "| " + " | ".join(cell.rjust(width) if i in right else cell.ljust(width)
                                 for i, (cell, width) in enumerate(zip(line, widths))) + " |"
    rule = "|" + "|".join("-" * (width + 1) + (":" if i in right else "-") for i, width in enumerate(widths)) + "|"
    return "\n".join([show(HEADER), rule] + [show(line) for line in rows])
