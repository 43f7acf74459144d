# SPDX-License-Identifier: MIT
"""Puts what came of a part of the soak into docs/RELIABILITY.md, with date and versions."""
import os
import platform
import re
import subprocess
import time

import lists

DOCUMENT = os.path.join(lists.ROOT, "docs/RELIABILITY.md")


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
        return done.stdout.strip().split("\n")[0]
    except OSError:
        return ""


def system():
    """Distribution, kernel and libc of this machine."""
    with open("/etc/os-release") as file:
        names = dict(re.findall(r'(?m)^(\w+)="?([^"\n]*)', file.read()))
    return "%s, Linux %s, glibc %s, %d cores" % (names.get("PRETTY_NAME", "unknown"), platform.release().split("-")[0],
                                               platform.libc_ver()[1], os.cpu_count())


def packages():
    """Versions of what `scripts/install-deps.sh soak` installs, as far as it is there."""
    with open(os.path.join(lists.ROOT, "scripts/install-deps.sh")) as file:
        names = re.search(r'= soak \] && packages="([^"$]*)', file.read()).group(1).split()
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n"] + names,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
    return ", ".join("%s %s" % tuple(line.split()[1:]) for line in done.stdout.splitlines()
                     if line.startswith("installed ") and len(line.split()) == 3)


def heading():
    return "%s, %s, %s." % (time.strftime("%Y-%m-%d"), first_line(os.path.join("build", "prof-report"), "--version"),
                            system())


def block(part, lines):
    """The part's block of the document, written again."""
    begin, end = "<!-- begin: soak %s -->\n" % part, "<!-- end: soak %s -->" % part
    with open(DOCUMENT) as file:
        text = file.read()
    if begin not in text:
        raise SystemExit("soak: docs/RELIABILITY.md has no block for '%s'" % part)
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    with open(DOCUMENT, "w") as file:
        file.write(before + begin + "\n".join(lines) + "\n" + end + after)
