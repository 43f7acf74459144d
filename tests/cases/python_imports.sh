#!/bin/bash
# Imports of Python modules are those of python -X importtime, in the same tree, in every CPython there is.
# SPDX-License-Identifier: MIT
# timeout: 300
. "$ROOT/tests/lib.sh"

cat >program.py <<'EOF'
import json, xml.dom.minidom
import email.mime.text
try:
    import absent.part
except ImportError:
    pass
for _ in range(2):
    try:
        import json.absent
    except ImportError:
        pass
import importlib, threading
importlib.import_module("decimal")
thread = threading.Thread(target=lambda: __import__("wave"))
thread.start()
thread.join()
def later():
    import sqlite3.dump
later()
EOF

cat >compare.py <<'EOF'
import collections, json, sys

def of_importtime(path):
    rows, open_at = collections.Counter(), {}
    lines = [line.rstrip("\n").split("|") for line in open(path) if line.startswith("import time:")]
    for self_us, total, name in reversed([line for line in lines if line[1].strip() != "cumulative"]):
        depth = (len(name) - len(name.lstrip()) - 1) // 2
        open_at[depth] = name.strip()
        rows[(name.strip(), open_at[depth - 1] if depth else None, depth)] += 1
    return rows

def of_ours(path):
    rows = collections.Counter()
    for row in json.load(open(path))["rows"]:
        rows[(row["module"], row["parent"], row["depth"])] += row["imports"]
    return rows

theirs, ours = of_importtime(sys.argv[1]), of_ours(sys.argv[2])
assert len(theirs) > 20, theirs
for row in sorted(set(theirs) | set(ours), key=str):
    if theirs[row] != ours[row]:
        print("%r: importtime %d, ours %d" % (row, theirs[row], ours[row]))
sys.exit(theirs != ours)
EOF

for python in "${PYTHONS[@]}"; do
	"$python" -c 'import sqlite3' 2>/dev/null || continue
	tried=$((${tried:-0} + 1))
	"$python" program.py # writes the .pyc files, if anybody may
	"$python" -X importtime program.py 2>theirs.txt || fail "$python: -X importtime: status $?"
	rm -f "$OUTPUT"
	run_traced "$python" program.py || fail "$python: status $?"
	"$REPORT" imports --limit 0 --format json "$OUTPUT" >imports.json || fail "$python: no report"
	python3 -S compare.py theirs.txt imports.json || fail "$python: the tree of imports differs"
	expect_eq "$python: who imports" "$(json imports "$OUTPUT" \
		'"%s:%d" % (row(module="sqlite3.dump")["file"].split("/")[-1], row(module="sqlite3.dump")["line"])')" program.py:18
	expect_eq "$python: failed" "$(json imports "$OUTPUT" \
		'[sum(r["failed"] for r in rows if r["module"] == name) for name in ("absent", "json.absent", "wave")]')" "[1, 2, 0]"
	expect_eq "$python: bytes" "$(json imports "$OUTPUT" 'row(module="sqlite3.dump", parent=None)["bytes_allocated"] > 0')" true
done
((${tried:-0})) || skip "no CPython 3.8 or newer"

# not recorded when it is not wanted, and the program sees nothing of it
rm -f "$OUTPUT"
INTERCEPT_TRACE=-imports run_traced python3 -c 'import json'
expect_eq "imports without the family" "$(json imports "$OUTPUT" 'len(rows)')" 0
same_as_bare python3 -c 'import _frozen_importlib as f, types, inspect
print(type(f._find_and_load), f._find_and_load.__code__.co_name, sorted(vars(f._find_and_load)))
import importlib; print(importlib.import_module("decimal").__name__)'
same_as_bare python3 -c 'import traceback
try:
    import absent_module
except ImportError:
    traceback.print_exc()'

# what each import allocated and read, with and without the modules within, where that was recorded
rm -f "$OUTPUT"
mkdir -p costs && head -c 1000000 /dev/zero >data
cat >costs/__init__.py <<'EOF'
import os, costs.inner
file = os.open("data", os.O_RDONLY)
read = os.read(file, 300000)
blocks = [bytearray(1 << 20) for _ in range(3)]
os.close(file)
EOF
cat >costs/inner.py <<'EOF'
import os
file = os.open("data", os.O_RDONLY)
for _ in range(100):
    os.pread(file, 7000, 0)
blocks = [bytearray(1 << 20) for _ in range(5)]
os.close(file)
EOF
PYTHONDONTWRITEBYTECODE=1 INTERCEPT_TRACE=+io run_traced python3 -c 'import costs'
expect "$OUTPUT" '700000 <= imports.row(module="costs.inner").io_bytes < 710000' \
	'300000 <= imports.row(module="costs").self_io_bytes < 310000' \
	'imports.row(module="costs").io_bytes == imports.row(module="costs").self_io_bytes + imports.row(module="costs.inner").io_bytes' \
	'imports.row(module="costs").io_calls == imports.row(module="costs").self_io_calls + imports.row(module="costs.inner").io_calls' \
	'102 <= imports.row(module="costs.inner").self_io_calls < 150' \
	'5 << 20 <= imports.row(module="costs.inner").bytes_allocated < 6 << 20' \
	'3 << 20 <= imports.row(module="costs").self_bytes_allocated < 4 << 20' \
	'imports.row(module="costs").bytes_allocated == imports.row(module="costs").self_bytes_allocated + imports.row(module="costs.inner").bytes_allocated' \
	'imports.sum("self_bytes_allocated") == sum(r.bytes_allocated for r in imports.rows if r.depth == 0)' \
	'imports.sum("self_allocations") == sum(r.allocations for r in imports.rows if r.depth == 0)' \
	'imports.sum("self_io_calls") == sum(r.io_calls for r in imports.rows if r.depth == 0)' \
	'imports.sum("self_io_bytes") == sum(r.io_bytes for r in imports.rows if r.depth == 0)'
rm -f "$OUTPUT"
INTERCEPT_TRACE=-alloc run_traced python3 -c 'import costs'
expect_eq "what was not recorded" "$(json imports "$OUTPUT" '[row(module="costs")[name] for name in
	("bytes_allocated", "self_bytes_allocated", "allocations", "self_allocations", "io_calls", "io_bytes", "self_io_calls", "self_io_bytes")]')" \
	"[null, null, null, null, null, null, null, null]"

# the summary names them where they matter
rm -f "$OUTPUT"
mkdir -p slow && echo 'import time; time.sleep(3)' >slow/__init__.py
run_traced python3 -c 'import slow'
expect_match "the summary" "$("$REPORT" "$OUTPUT" | tr '\n' ' ')" \
	'Imports of Python modules took .*, [0-9.]+ m?s of it for slow and what it imports\. The slowest by itself is slow with [0-9.]+ m?s \(prof-report imports\)'

# advice says which packages and who imports them; the functions with most time of their own stand above it, and what they are from
expect_match "advice" "$(json bottleneck "$OUTPUT" '[row["text"] for row in rows if row["id"] == "slow_imports"]')" \
	'imports take .* of the run; each package by itself: slow [0-9.]+ s '
rm -f "$OUTPUT"
cat >functions.py <<'EOF2'
def busy():
    return sum([i * i for i in range(3000000)])
busy()
EOF2
INTERCEPT_TRACE=+functions run_traced python3 functions.py
expect_match "functions of calls" "$("$REPORT" bottleneck "$OUTPUT" | tr '\n' ' ')" \
	'Python functions by self time \(prof-report functions\).*functions.py:1\(busy\)'
rm -f "$OUTPUT"
INTERCEPT_SAMPLE=1000 run_traced python3 functions.py
expect_match "functions of samples" "$("$REPORT" bottleneck "$OUTPUT" | tr '\n' ' ')" \
	'functions by sampled CPU time \(prof-report lines --by function\).* busy '
# how many there are has room behind it
expect_eq "titles that are too long for 80 columns with (10 of 1,234) behind them" \
	"$("$REPORT" bottleneck "$OUTPUT" | grep '^[^ ].*functions.*(prof-report' | sed 's/ ([0-9]* of [0-9,]*)$//' | awk 'length > 66')" ""
