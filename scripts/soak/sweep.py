# SPDX-License-Identifier: MIT
"""The sweep: each ELF program of the machine's PATH, asked for its version, and some with a job of their own."""
import glob
import os

import box
import lists
import trial

BARE_SECONDS, TRACED_SECONDS = 8, 40
QUESTIONS = ("--version", "--help", "-V", "-h")
# A wide sweep: programs that a package keeps out of PATH.
MORE = ("/usr/lib/git-core", "/usr/lib/postgresql/*/bin", "/usr/lib/jvm/*/bin", "/usr/lib/go*/bin", "/usr/lib/R/bin/exec")


def folders():
    found = [folder for folder in box.PATH.split(":") + os.environ.get("PATH", "").split(":")]
    for pattern in MORE:
        found += sorted(glob.glob(pattern))
    return found


def is_elf(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def reachable(path):
    """Whether whoever runs the programs gets there."""
    while path != "/":
        path = os.path.dirname(path)
        if not os.stat(path).st_mode & 0o001:
            return not box.user()
    return True


def programs():
    """{true path: path}, each program once, by the first of its names."""
    found = {}
    for folder in folders():
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            true = os.path.realpath(path)
            if true not in found and os.path.isfile(true) and os.access(true, os.X_OK) and is_elf(true) \
                    and reachable(true):
                found[true] = path
    return found


def plan():
    """([(name, [argv, ...])], [(name, reason)]): what to try, in that order until one ends bare; what is left out."""
    left_out, work = lists.read("left_out.txt", 1), lists.read("work.txt", 1)
    tasks, out = [], []
    for path in programs().values():
        name = os.path.basename(path)
        line = lists.find(left_out, name)
        if line:
            out.append((name, line[1]))
            continue
        tasks.append((name, [[path, question] for question in QUESTIONS]))
        tasks += [(name + ": " + command, [["/bin/sh", "-c", command]]) for word, command in work if word == name]
    return tasks, out


def attempt(product, directory, task):
    name, commands = task
    done = None
    for argv in commands:
        done = trial.attempt(product, directory, name, argv, BARE_SECONDS, TRACED_SECONDS)
        if done.state != "none":
            break
    return done
