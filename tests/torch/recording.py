# SPDX-License-Identifier: MIT
"""The operators in a recording, out of `prof-report dump`, as trees of [depth, name, total, self] by thread."""
import re
import subprocess

LINE = re.compile(r'(\d+) (\d+:\d+) torch_(begin|begin_ex|begin_id|end|end_ex|end_id)(?: name="((?:[^"\\]|\\.)*)"(.*))?$')


class Operator:
    def __init__(self, thread, name, depth, begin, rest):
        self.thread, self.name, self.depth, self.begin, self.rest = thread, name, depth, begin, rest
        self.end = None
        self.below = 0

    def row(self, depth=0):
        total = self.end - self.begin
        return [self.depth - depth, self.name, total, total - self.below]


def torch_lines(report, file):
    """Of the dump; most of it are millions of allocations."""
    with subprocess.Popen([report, "dump", file], stdout=subprocess.PIPE) as dump:
        some = subprocess.run(["grep", " torch_"], stdin=dump.stdout, stdout=subprocess.PIPE,
                              universal_newlines=True)
        dump.stdout.close()
    if dump.returncode or some.returncode > 1:
        raise RuntimeError("dump of '%s' ended with %d" % (file, dump.returncode))
    return some.stdout


def operators(report, file):
    """All of them in the order of their begin; those that never ended have no end."""
    found, stacks, held = [], {}, {}
    for line in torch_lines(report, file).splitlines():
        match = LINE.match(line)
        if not match:
            continue
        time, thread, kind, name, rest = match.groups()
        stack = stacks.setdefault(thread, [])
        identity = thread.split(":")[0], re.search(r" function=\S+", rest or "")[0] if kind.endswith("_id") else None
        if kind.startswith("begin"):
            stack.append(Operator(thread, name, len(stack), int(time), rest))
            found.append(stack[-1])
            if identity[1]:
                held[identity] = stack[-1]
            continue
        if identity[1]:  # it says which one ends, of whatever thread
            wanted = held.pop(identity, None)
            stack = stacks[wanted.thread] if wanted else []
            ends = [i for i, o in enumerate(stack) if o is wanted]
        else:  # of older recordings a user scope: the innermost of that name
            ends = [i for i, o in enumerate(stack) if name in (None, o.name) and o not in held.values()]
        if ends:
            last = stack.pop(ends[-1])
            last.end = int(time)
            if stack:
                stack[-1].below += last.end - last.begin
    return found


def below(found, root):
    """The operators inside of one, as rows."""
    return [o.row(root.depth + 1) for o in found
            if o.thread == root.thread and o.depth > root.depth and root.begin <= o.begin and
            o.end is not None and o.end <= root.end]


def windows(found):
    """The trees of each thread between every two marks of proof.py."""
    marks = [o for o in found if o.name == "aten::erfinv_"]
    for first, last in zip(marks[::2], marks[1::2]):
        threads = {}
        for o in found:
            if first.end <= o.begin and o.end is not None and o.end <= last.begin:
                threads.setdefault(o.thread, []).append(o.row())
        yield list(threads.values())
