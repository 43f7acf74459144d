#!/bin/bash
# SPDX-License-Identifier: MIT
# programs: frame_rows
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: unwinding tables of Debian's arm64 libraries and of CUDA's for Arm servers. At each
# address at which a row begins our reader finds what readelf says.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >compare.py <<'END'
"""compare.py PROGRAM MACHINE FILE"""
import re, subprocess, sys

program, machine, file = sys.argv[1:]
registers = {"x29": "fp", "rbp": "fp", "rsp": "sp"}
said = subprocess.run([machine + "-linux-gnu-readelf", "--debug-dump=frames-interp", file], capture_output=True, text=True).stdout
rows = []
for entry in said.split("\n\n"):
    lines = entry.splitlines()
    if len(lines) < 3 or " FDE " not in lines[0]:
        continue
    columns = lines[1].split()
    end = int(re.search(r"pc=[0-9a-f]+\.\.([0-9a-f]+)", lines[0])[1], 16)
    found = {}
    for line in lines[2:]:
        row = dict(zip(columns, line.split()))
        cfa = re.sub(r"^(x29|rbp|rsp)", lambda name: registers[name[1]], row["CFA"])
        saved = next((row[name] for name in ("x29", "rbp") if name in row), "u")
        rest = (cfa, saved, row.get("ra", "u"))
        if not re.match("sp|fp|exp", cfa) or row.get("ra", "u")[0] == "r":
            rest = ("-",)  # what libc's setcontext() and its like say: by a register that we do not follow
        found[int(row["LOC"], 16)] = rest  # of several for one address the last is valid
    rows += [(at, *row) for at, row in found.items() if at < end]
ours = subprocess.run([program, file], input="\n".join("%x" % row[0] for row in rows), capture_output=True, text=True).stdout.splitlines()
differ = [(ours, theirs) for ours, theirs in zip(ours, rows) if ours.split()[1:] != list(theirs[1:])]
assert len(ours) == len(rows) > 1000, (len(ours), len(rows))
kinds = {}
for our, their in differ:
    kinds.setdefault((tuple(our.split()[1:]), their[1:]), []).append("%x" % their[0])
for (our, their), places in sorted(kinds.items(), key=lambda kind: -len(kind[1]))[:5]:
    print(" ".join(our), "instead of", " ".join(their), ":", len(places), "rows, first at", places[0])
print(len(rows), "rows,", len(differ), "differ")
sys.exit(bool(differ))
END
cuda=$("$ROOT/scripts/arm-cuda-env.sh") || fail "no CUDA for aarch64"
libraries=$ARM_ROOT/usr/lib/aarch64-linux-gnu
for file in "$libraries"/{libc.so.6,libstdc++.so.6,libpython3.11.so.1.0} "$cuda"/*/nvidia/*/lib/{libcudart,libcupti}.so.1?; do
	[[ -e $file ]] || continue
	python3 compare.py "$PROGRAMS/frame_rows" aarch64 "$file" >said 2>&1 || fail "$file: $(cat said)"
	echo "unwinding tables of ${file##*/}: $(tail -n 1 said)"
done
