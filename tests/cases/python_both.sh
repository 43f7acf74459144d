#!/bin/bash
# Native frames and those of Python in one stack: C code that calls back stands between the functions that it joins.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.10 to 3.13"
cat >both.py <<'END'
def leaf(n): return bytearray(n)
def middle(): return sorted([2, 1], key=lambda v: leaf(9000000) and v)
middle()
END
INTERCEPT_STACKS=both run_traced "$python" both.py || fail "ended with $?"
# a compiler may have made two calls of the one in the source: then there are two stacks
cat >find.py <<'END'
import json, sys
rows = [row for row in json.load(sys.stdin)["rows"] if row["bytes_allocated"] >= 9000000]
shapes = set()
for row in rows:
    names = ["py:" + f["function"] if f["module"] is None and f["file"] else "c" for f in row["stack"]]
    inner = [k for k, name in enumerate(names) if name[:3] == "py:"]
    shapes.add((*[names[k][3:] for k in inner], inner[0] > 0, inner[2] - inner[1] > 2, inner[1] - inner[0]))
print(sum(row["allocations"] for row in rows), *[word for shape in shapes for word in shape])
END
found=$("$REPORT" alloc --by stack --raw-stacks --limit 0 --format json "$OUTPUT" | python3 -S find.py)
expect_eq "the stack" "$found" "2 leaf <lambda> middle <module> True True 1"
rm -f "$OUTPUT"

# lines of Python whose blocks come from one native function are rows of their own
cat >lines.py <<'END'
def small(): return [bytearray(5000) for _ in range(100)]
def large(): return [bytearray(9000) for _ in range(300)]
kept = small(), large()
END
INTERCEPT_STACKS=both run_traced "$python" lines.py || fail "ended with $?"
cat >rows.py <<'END'
import json, sys
rows = json.load(sys.stdin)["rows"]
for line, blocks, size in (1, 100, 5000), (2, 300, 9000):
    of = [row for row in rows if f"lines.py:{line} " in row["python"]]
    print(len(of), all(blocks <= r["allocations"] < blocks + 20 and blocks * size <= r["bytes_allocated"] < blocks * size * 1.1 for r in of))
print(len({row["python"] for row in rows}) == len(rows))
END
found=$("$REPORT" alloc --by python --limit 0 --format json "$OUTPUT" | python3 -S rows.py | tr '\n' ' ')
expect_eq "lines of Python" "$found" "1 True 1 True True "

# a flame graph of Python only has nothing native in it, and all of the bytes
"$REPORT" flame --by python --format folded "$OUTPUT" >python.folded || fail "flame --by python ended with $?"
"$REPORT" flame --format folded "$OUTPUT" >all.folded || fail "flame ended with $?"
grep -Eq '^<module>;large(;<listcomp>)? [0-9]+$' python.folded || fail "no stack of Python: $(cat python.folded)"
expect_eq "all bytes of it" "$(awk '{ s += $NF } END { print s }' python.folded)" "$(awk '{ s += $NF } END { print s }' all.folded)"
! grep -E 'PyObject_|malloc|_start' python.folded || fail "native functions among Python's"
