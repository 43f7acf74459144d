#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: lint-cache.py CHECK KEY BATCH COMMAND...

Runs COMMAND for the files named on stdin, BATCH of them at a time as its last arguments, on all
cores. Files that have passed are not checked again until they change. A batch passes when COMMAND
exits with 0. Exit status 1 when one did not.

CHECK is a name; KEY is all that decides the result besides the files: versions of tools, options.
A digest stands for KEY, for the file's name and content, and, for C, for everything that the file
includes: our own files by content, those of the system by name, size and time. It is made before
the check runs. Digests of what has passed lie in ${XDG_CACHE_HOME:-~/.cache}/intercept/lint/CHECK,
the newest 20,000. With LINT_CACHE=off every file is checked and nothing is remembered.
"""

import concurrent.futures
import functools
import hashlib
import os
import re
import subprocess
import sys

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"|\.incbin[^"\n]*"([^"\n]+)"', re.M)
SYSTEM = ("/usr/include", "/usr/lib/llvm-14/lib/clang", "/usr/lib/gcc")
DIGESTS_MAX = 20000
C_ENDINGS = (".c", ".h", ".def", ".cpp")


@functools.lru_cache(None)
def content(path):
    """Digest of a file's content, and the files of ours that it includes."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return b"missing", ()
    names = ()
    if path.endswith(C_ENDINGS):
        beside = os.path.dirname(path)
        found = {first or second for first, second in INCLUDE.findall(data)}
        places = {os.path.normpath(os.path.join(top, name.decode(errors="replace")))
                  for name in found for top in ("", beside)}
        names = tuple(sorted(places))  # a file that is not there counts as well: it may come
    return hashlib.sha256(data).digest(), names


@functools.lru_cache(None)
def system():
    """Changes with any header of the system."""
    total = hashlib.sha256()
    for top in SYSTEM:
        for folder, folders, names in os.walk(top):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                try:
                    about = os.stat(path)
                except OSError:
                    continue
                line = "%s %d %d\n" % (path, about.st_size, about.st_mtime)
                total.update(line.encode())
    return total.digest()


def digest(key, path):
    seen, to_do = {path}, [path]
    while to_do:
        for name in content(to_do.pop())[1]:
            if name not in seen:
                seen.add(name)
                to_do.append(name)
    total = hashlib.sha256(key.encode())
    for name in sorted(seen):
        total.update(("\0%s\0" % name).encode() + content(name)[0])
    if path.endswith(C_ENDINGS):
        total.update(system())
    return total.hexdigest()


def read(store):
    try:
        with open(store) as file:
            return file.read().split()
    except OSError:
        return []


def remember(store, added):
    kept = list(dict.fromkeys(added + read(store)))[:DIGESTS_MAX]
    try:
        os.makedirs(os.path.dirname(store), exist_ok=True)
        with open("%s.%d" % (store, os.getpid()), "w") as file:
            file.write("".join(one + "\n" for one in kept))
        os.replace(file.name, store)
    except OSError:
        pass  # the next run checks these again


def main():
    check, key, batch, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or "/", ".cache")
    store = os.path.join(home, "intercept", "lint", check)
    files, off = sys.stdin.read().split(), os.environ.get("LINT_CACHE") == "off"
    passed = set() if off else set(read(store))
    digests = {path: digest(key, path) for path in files}
    new = [path for path in files if digests[path] not in passed]
    parts = [new[i:i + batch] for i in range(0, len(new), batch)]
    failed, added = False, []

    def run(part):
        return subprocess.run(command + part, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for part, done in zip(parts, pool.map(run, parts)):
            sys.stdout.buffer.write(done.stdout)
            if done.returncode == 0:
                added += [digests[path] for path in part]
            else:
                failed = True
    if added and not off:
        remember(store, added)
    sys.exit(failed)


main()
