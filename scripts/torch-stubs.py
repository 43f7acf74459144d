#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: torch-stubs.py TORCH_DIRECTORY

PyTorch's wheels are linked with CUDA libraries that take gigabytes and that a test on the CPU never calls.
Writes one small library into TORCH_DIRECTORY/lib that has the names, versions and functions of all of them
that are not there; each function says "no device". Needs readelf and a C compiler.
"""
import collections
import glob
import os
import re
import subprocess
import sys

NO_DEVICE = 100  # cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE; an error to every other library too


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, universal_newlines=True).stdout


def needed_libraries(paths):
    """What they are linked with and what is neither beside them nor the system's."""
    names = set()
    for path in paths:
        names |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", path)))
    vendors = re.compile(r"lib(cu|nv|nccl)")
    here = {os.path.basename(path) for path in paths}
    return {name for name in names - here if vendors.match(name)}


def symbols(paths):
    """Undefined functions by version, which is None for most, and what the libraries define themselves."""
    wanted, defined = collections.defaultdict(set), set()
    for path in paths:
        for line in readelf("--dyn-syms", path).splitlines():
            field = line.split()
            if len(field) < 8 or not field[0].rstrip(":").isdigit():
                continue
            name, _, version = field[7].partition("@")
            if field[6] != "UND":
                defined.add(name)
            elif field[4] == "GLOBAL":
                wanted[version.lstrip("@") or None].add(name)
    return wanted, defined


def source(wanted):
    """Assembly: one body with every name; what returns a text returns an empty one."""
    lines = [".text", "text: lea empty(%rip), %rax", "ret", "code: mov $%d, %%eax" % NO_DEVICE, "ret"]
    for name in sorted(set().union(*wanted.values())):
        body = "text" if re.search(r"(String|Name|LastError)$", name) and "Peek" not in name else "code"
        lines += [".globl %s" % name, ".type %s, @function" % name, ".set %s, %s" % (name, body)]
    return "\n".join(lines + [".section .rodata", "empty: .byte 0",
                              '.section .note.GNU-stack,"",@progbits', ""])


def script(wanted):
    nodes = ["%s { global: %s; };" % (version, "; ".join(sorted(names)))
             for version, names in sorted(wanted.items(), key=str) if version]
    return "\n".join(nodes + ["REST { global: *; };"]) + "\n"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.splitlines()[0])
    directory = os.path.join(sys.argv[1], "lib")
    paths = [path for path in glob.glob(os.path.join(directory, "*.so*")) if not os.path.islink(path)]
    libraries = needed_libraries(paths)
    if not libraries:
        return
    wanted, defined = symbols(paths)
    vendors = re.compile(r"(cu|nv|nccl|__cuda|__nv)")
    wanted = {version: {name for name in names - defined if vendors.match(name)}
              for version, names in wanted.items()}
    wanted = {version: names for version, names in wanted.items() if names}
    stub = os.path.join(directory, "libstubs.so")
    for ending, text in (("s", source(wanted)), ("map", script(wanted))):
        with open("%s.%s" % (stub, ending), "w") as file:
            file.write(text)
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-nostdlib", "-Wl,-soname,libstubs.so",
                    "-Wl,--version-script," + stub + ".map", stub + ".s", "-o", stub], check=True)
    for name in libraries:
        link = os.path.join(directory, name)
        if not os.path.lexists(link):
            os.symlink("libstubs.so", link)


main()
