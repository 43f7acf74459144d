#!/bin/bash
# What grows from step to step has its line in the advice: blocks, arenas, blocks of C code; a cache that levels off has no advice.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import ctypes, sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.8 to 3.13"
export PYTHONPATH=$ROOT/tests/truth INTERCEPT_STEP=step

place() { # ID LINE COMMAND; the program stands on stdin
	cat >grow.py
	rm -f ./*.evt
	run_traced "$python" grow.py || fail "$1: the program ended with $?"
	"$REPORT" bottleneck --format json "$OUTPUT" | python3 -S -c '
import json, sys
wanted, line, command = sys.argv[1:]
rows = [row for row in json.load(sys.stdin)["rows"] if row["severity"] != "note"]
grows = {row["id"]: row for row in rows if row["id"] == "leak" or row["id"].endswith("growth")}
if not wanted:
    sys.exit("grows, and should not: %s" % grows if grows else 0)
row = grows.get(wanted) or sys.exit("no %s: %s" % (wanted, rows))
if not (row["line"] or "").endswith(line) or command not in str(row):
    sys.exit("not %s, %s: %s" % (line, command, row))' "$1" "$2" "$3" || fail "$1"
}

place heap_growth grow.py:4 'leaks --by line --sort growth' <<'END'
from stepping import steps
kept = []
for number in steps():
    kept.append(bytes(300000))
END
"$REPORT" leaks --by line --sort growth "$OUTPUT" >leaks.txt || fail "the command of the advice"
grep -q 'grow.py:4 .*grows' leaks.txt || fail "the command of the advice: $(cat leaks.txt)"

place heap_growth grow.py:6 'leaks --by line --sort growth' <<'END'
import ctypes
from stepping import steps
libc = ctypes.CDLL(None)
libc.calloc.restype, libc.calloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
for number in steps():
    libc.calloc(1, 100000)
END

place python_memory_growth grow.py:5 'arenas were needed in' <<'END'
from stepping import steps
answers = {}
for number in steps():
    for part in range(8000):
        answers[number, part] = str(part)
END

# without steps, where each object of Python is recorded: what is kept grows, a cache with a limit does not
export INTERCEPT_TRACE=+pymem INTERCEPT_STACKS=python
place leak grow.py:3 'leaks --allocator python --by line' <<'END'
seen = {}
def note(key):
    seen[key] = str(key)
for number in range(40000):
    note((number, "request"))
    len([str(part) for part in range(20)])
END
place '' '' '' <<'END'
seen = {}
def note(key):
    seen[key] = str(key)
    if len(seen) > 2000:
        del seen[next(iter(seen))]
for number in range(40000):
    note((number, "request"))
    len([str(part) for part in range(20)])
END
# most of what is allocated is, and stays, in the first third of the time: that does not grow throughout the run
place '' '' '' <<'END'
import time
begun = time.monotonic()
table = {}
def fill(key):
    table[key] = str(key)
for number in range(60000):
    fill((number, "row"))
until = time.monotonic() + max(2, 3 * (time.monotonic() - begun))
while time.monotonic() < until:
    len([str(part) for part in range(20)])
    time.sleep(0.01)
END
unset INTERCEPT_TRACE INTERCEPT_STACKS

# one object that grows is one block at any time, and nothing of it is forgotten
place '' '' '' <<'END'
text = bytearray()
for number in range(12000):
    text.extend(bytes(1000))
END

# modules of a package stay, and importing them may be most of a short run
mkdir -p site-packages/package
for number in $(seq 40); do
	"$python" -S -c 'import sys
number = int(sys.argv[1])
print("text = b\"%s\"" % ("x%d" % number * 30000))
print("parts = [%s]" % ",".join("b\"%s\"" % ("%d,%d," % (number, part) * 200) for part in range(300)))' \
		"$number" >"site-packages/package/part$number.py"
done
place '' '' '' <<'END'
import importlib, sys
sys.path.insert(0, "site-packages")
for number in range(1, 41): importlib.import_module("package.part%d" % number)
END

place '' '' '' <<'END'
from stepping import steps
cache = {}
for number in steps():
    key = number % 10
    if key not in cache:
        cache[key] = bytes(300000)
    total = cache[key] + b"1"
    if number < 4:
        cache["warm", number] = bytes(800000)
END
exit 0
