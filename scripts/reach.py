#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# usage: reach.py LIBRARY LIST [FUNCTION]
# Follows the calls of the exported functions of libintercept.so through its machine code and compares what they
# reach of libc with LIST (preload/hook/reaches.txt says how that is written). One line a finding; exit status 1 when
# there is one. With FUNCTION: the way from each exported function of its section to that one.

import fnmatch
import re
import subprocess
import sys

LABEL = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
DIRECT = re.compile(r"\s(?:call|j[a-z]+)\s+[0-9a-f]+ <([^>+]+)(?:\+0x[0-9a-f]+)?>")
INDIRECT = re.compile(r"\s(?:call|jmp)\s+\*(.*)")
ADDRESS = re.compile(r"\slea\s.*# [0-9a-f]+ <([^>+]+)>")
NAMED = re.compile(r"# ([0-9a-f]+) <")
REGISTER = re.compile(r"^%\w+$")


def plain(name):
    """The function that a part of it belongs to: gcc makes NAME.cold, NAME.part.0, NAME.constprop.0."""
    return name if name.endswith("@plt") else name.split(".")[0].split("@")[0]


def read_symbols(library):
    """{address: name}"""
    table = subprocess.run(["nm", library], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in table.splitlines()]
    return {int(w[0], 16): w[2] for w in words if len(w) == 3}


def read_tables(library, symbols):
    """{address: function that the loader puts there}: structs of functions, such as a family's (record/family.h)"""
    table = subprocess.run(["readelf", "-rW", library], capture_output=True, text=True, check=True).stdout
    words = [line.split() for line in table.splitlines() if "R_X86_64_RELATIVE" in line]
    return {int(w[0], 16): plain(symbols[int(w[3], 16)]) for w in words if int(w[3], 16) in symbols}


def pointer_name(symbols, where, function):
    """What holds the pointer that is called: a variable, or the function that has it in a register."""
    named = NAMED.search(where)
    if not named:
        return function
    address = int(named.group(1), 16)
    for step in range(0, 4096, 8):
        if address - step in symbols:
            return plain(symbols[address - step])
    return function


def read_calls(library):
    """{function: what it calls, or takes the address of, or out of a table}; "*NAME" is a call by way of a pointer."""
    listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], capture_output=True,
                             text=True, check=True).stdout
    symbols, calls, function, before = read_symbols(library), {}, None, ""
    tables = read_tables(library, symbols)
    for line in listing.splitlines():
        last, before = before, line
        label = LABEL.match(line)
        if label:
            function = plain(label.group(1))
            calls.setdefault(function, set())
            continue
        direct, indirect, address = DIRECT.search(line), INDIRECT.search(line), ADDRESS.search(line)
        if direct and plain(direct.group(1)) != function:
            calls[function].add(plain(direct.group(1)))
        elif indirect:
            where = indirect.group(1).strip()
            # the table of a switch: the register was just added to the table's address
            if not (REGISTER.match(where) and "add " in last and last.endswith(where)):
                calls[function].add("*" + pointer_name(symbols, where, function))
        elif address:
            calls[function].add("&" + plain(address.group(1)))
        named = NAMED.search(line)
        if named and int(named.group(1), 16) in tables:
            calls[function].add("&" + tables[int(named.group(1), 16)])
    return calls


def is_taken(calls, function):
    return function in calls and any("&" + function in called for called in calls.values())


def follow(calls, pointers, root):
    """{what is reached: by what}"""
    reached, to_do = {root: None}, [root]
    while to_do:
        function = to_do.pop()
        if function.endswith("@plt"):
            continue
        for called in calls.get(function, pointers.get(function, ())):
            if called.startswith("&"):
                called = called[1:]
                if called not in calls:
                    continue
            if called not in reached:
                reached[called] = function
                to_do.append(called)
    return reached


def way(reached, name):
    steps = []
    while name:
        steps.append(name.replace("@plt", ""))
        name = reached[name]
    return " < ".join(steps)


def read_list(path):
    """[(patterns of exported functions, {what they may reach: why}, names of the groups taken in)], {group: the same},
    {pointer: what it may hold}"""
    sections, groups = [], {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.split("#")[0].rstrip()
            if not line:
                continue
            if line.startswith("["):
                here, taken = groups.setdefault(line.strip("[]"), {}), None
            elif not line[0].isspace():
                here, taken = {}, []
                sections.append((line.rstrip(":").split(), here, taken))
            elif line.strip().startswith("["):
                taken.append(line.strip()[1:-1])
            else:
                name, _, why = line.strip().partition(" ")
                here[name] = why.strip()
    pointers = {name: leads.split() for name, leads in groups.pop("pointers", {}).items()}
    return sections, groups, pointers


def section_of(sections, name):
    for section in sections:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in section[0]):
            return section
    return None


def exported(library):
    names = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                           check=True).stdout
    return [line.split()[2] for line in names.splitlines() if line.split()[1] in "TWi"]


def outside(reached, pointers, root):
    """{what of it is not our own code: its node}: functions of libc, and calls through pointers."""
    originals = {"*" + root, "*" + root + "_recorded", "*hook_real", "*nvtx_real", *pointers}
    return {name[:-4] if name.endswith("@plt") else name: name for name in reached
            if name.endswith("@plt") or (name.startswith("*") and name not in originals)}


def compare(library, path, wanted):
    """Finding lines; prints the ways to `wanted`."""
    calls, (sections, groups, pointers) = read_calls(library), read_list(path)
    findings, used, seen = set(), set(), set()
    for name in exported(library):
        section = section_of(sections, name)
        if section is None:
            findings.add("%s: '%s' is exported and in no section" % (path, name))
            continue
        patterns, own, taken = section
        reached = follow(calls, pointers, name)
        seen.update(reached)
        for what, node in outside(reached, pointers, name).items():
            if wanted == what:
                print(way(reached, node))
            holders = [g for g in [own] + [groups[t] for t in taken] if what in g]
            used.update((id(holder), what) for holder in holders)
            if not holders:
                findings.add("%s: %s reaches '%s', which is not in its list: %s" %
                             (path, patterns[0], what, way(reached, node)))
    for title, allowed in [(s[0][0], s[1]) for s in sections] + list(groups.items()):
        findings.update("%s: %s: '%s' needs a reason" % (path, title, what)
                        for what in allowed if not allowed[what])
        findings.update("%s: %s: nothing reaches '%s'" % (path, title, what)
                        for what in allowed if (id(allowed), what) not in used)
    findings.update("%s: [pointers]: nothing calls '%s'" % (path, name) for name in set(pointers) - seen)
    findings.update("%s: [pointers]: '%s' cannot hold '%s': nothing takes its address" % (path, name, held)
                    for name, leads in pointers.items() for held in leads if not is_taken(calls, held))
    return findings


def main():
    wanted = sys.argv[3] if len(sys.argv) > 3 else None
    findings = compare(sys.argv[1], sys.argv[2], wanted)
    if wanted:
        return 0
    for finding in sorted(findings):
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
