#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that cases call come from packages that scripts/install-deps.sh installs, that these depend on, or that every Debian has.
# Else a test would be skipped, or fail, on a machine that has nothing but what this project installs.

cd "$(dirname "$0")/.." || exit 1
command -v dpkg-query >/dev/null || exit 0 # no Debian: what it has is its user's
exec python3 - <<'END'
import glob, os, re, subprocess, sys

OPTIONAL = {"nvcc", "git"}  # of CUDA's toolkit, its case is skipped without it; whoever has the tree has git


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()


def names(text):  # of a list of dependencies, alternatives included
    return re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)", text)


installed = {}  # package: what it needs
always = set()
provided = {}
for line in lines_of("dpkg-query", "-W", "-f",
                     "${Package}\t${Essential}\t${Priority}\t${Pre-Depends}, ${Depends}\t${Provides}\n"):
    package, essential, priority, needs, gives = line.split("\t")
    installed[package] = names(needs)
    if essential == "yes" or priority in ("required", "important"):
        always.add(package)
    for name in names(gives):
        provided.setdefault(name, []).append(package)
script = open("scripts/install-deps.sh").read()
wanted = set(re.findall(r"[a-z0-9][a-z0-9+.-]+", " ".join(re.findall(r'packages="(?:\$packages )?([^"]*)"', script)[:2])))
closure, todo = set(), [name for name in wanted | always if name in installed]
while todo:
    package = todo.pop()
    if package in closure:
        continue
    closure.add(package)
    for name in installed[package]:
        todo.extend([name] if name in installed else provided.get(name, ()))

WORD = re.compile(r"(?:^|[|;(]|&&|\|\||\bdo|\bthen|\belse|!|\bneed_tool|\bcommand -v)\s*([a-z][a-z0-9_.+-]*)(?=[\s;)]|$)")
calls = {}  # program: where it is called first
for path in sorted(glob.glob("tests/cases/*.sh")) + ["tests/lib.sh"]:
    text = re.sub(r"<<-?\s*\\?['\"]?(\w+)['\"]?.*?\n(?:.*?\n)??\s*\1\n", "\n", open(path).read(), flags=re.S)
    for number, line in enumerate(text.split("\n"), 1):
        for program in WORD.findall(re.sub(r"'[^']*'|(^|\s)#.*", " ", line)):
            calls.setdefault(program, path)
places = {}
for program in calls:
    for folder in ("/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        if os.path.exists(folder + "/" + program):
            places[program] = {folder + "/" + program, os.path.realpath(folder + "/" + program)}
            break
owners = {}
exact = {path for paths in places.values() for path in paths}
exact |= {path.replace("/usr/", "/", 1) for path in exact}
for line in lines_of("dpkg-query", "-S", *sorted(exact)):
    packages, _, path = line.partition(": ")
    owners.setdefault(path, set()).update(name.split(":")[0] for name in packages.split(", "))
wrong = 0
for program, paths in sorted(places.items()):
    found = set().union(*(owners.get(path, set()) | owners.get(path.replace("/usr/", "/", 1), set()) for path in paths))
    if found and not found & closure and program not in OPTIONAL:
        wrong += 1
        print("%s:1: calls '%s' of the package %s, which scripts/install-deps.sh does not install" %
              (calls[program], program, "/".join(sorted(found))))
for path in sorted(glob.glob("tests/cases/*.sh")):
    for program in re.findall(r"^\s*need_tool ([a-z][\w.+-]*)", open(path).read(), re.M):
        if program not in OPTIONAL and not places.get(program) and not any(
                os.path.exists(folder + "/" + program) for folder in os.environ["PATH"].split(":")):
            wrong += 1
            print("%s:1: needs '%s', which nothing here has installed" % (path, program))
if len(places) < 40:
    sys.exit("only %d programs were found" % len(places))
sys.exit(wrong != 0)
END
