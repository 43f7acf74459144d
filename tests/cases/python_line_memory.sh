#!/bin/bash
# Memory by line of Python: bytes and blocks equal memray's, line for line; what stays, totals with callees, and growth by step.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(torch_python || command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.8 to 3.13"
export PYTHONDONTWRITEBYTECODE=1

# Blocks of more than 512 bytes are malloc()'s; names of functions are locals, for globals of memray's runner are others.
cat >script.py <<'END'
def main():
    import array, ctypes
    held = []
    def grow(n):
        one = bytearray(n)
        two = array.array("d", bytes(8 * n))
        held.append(one)
        return two
    def deep(n):
        return grow(5000) if n == 0 else deep(n - 1)
    class Made:
        def __init__(self, n):
            self.block = bytearray(n)
    for i in range(50):
        grow(10000 + i)
        deep(20)
    kept = [Made(4000) for _ in range(30)]
    text = "x" * 100000
    parts = [text[:50000 + i] for i in range(10)]
    numbers = list(range(20000))
    numbers.extend(range(70000))
    joined = b"".join(bytes(3000) for _ in range(40))
    libc = ctypes.PyDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    for _ in range(25):
        libc.free(libc.malloc(123456))
    code = compile("\n\nlate = bytearray(70001)\n", "made up.py", "exec")  # not compared: memray compiles before
    exec(code)
    return held, kept, parts, numbers, joined
main()  # not compared: what memray runs scripts with allocates on it, too
END
INTERCEPT_STACKS=python INTERCEPT_STACKS_DEPTH=4096 run_traced "$python" script.py || fail "script.py ended with $?"
"$REPORT" lines --limit 0 --format json --sort bytes_allocated --wait 60 "$OUTPUT" >lines.json || fail "lines ended with $?"
"$REPORT" lines --by function --limit 0 --format json --sort live_bytes "$OUTPUT" >functions.json || fail "lines --by function"
"$REPORT" lines --source script.py --format json "$OUTPUT" >source.json || fail "lines --source"
"$REPORT" alloc --format json "$OUTPUT" >alloc.json || fail "alloc"
cp "$OUTPUT" script.evt
cat >check.py <<'END'
import json
def rows(name):
    return json.load(open(name))["rows"]
lines, functions, source = rows("lines.json"), rows("functions.json"), rows("source.json")
totals = json.load(open("alloc.json"))["totals"]
for name in ("allocations", "bytes_allocated", "live_bytes"):
    for table in (lines, functions):
        assert sum(r[name] for r in table) == totals[name], (name, sum(r[name] for r in table), totals)
text = open("script.py").read().split("\n")
number = {line.strip(): i + 1 for i, line in enumerate(text)}
def at(words, table=source):
    return [r for r in table if r["line"] == number[words] and (table is source or r["file"].endswith("script.py"))][0]
one = at("one = bytearray(n)")
assert (one["bytes_allocated"], one["live_bytes"]) == (sum(range(10001, 10051)) + 50 * 5001, 751325), one
grow, deep = at("grow(10000 + i)"), at("deep(20)")
assert grow["bytes_allocated"] == deep["bytes_allocated"] == 0, (grow, deep)
assert deep["total_bytes_allocated"] >= 50 * (5001 + 2 * 8 * 5000) and deep["total_live_bytes"] >= 50 * 5001, deep
assert deep["total_live_bytes"] < 60 * 5001, deep  # of a function that calls itself each block counts once
assert at("libc.free(libc.malloc(123456))")["live_bytes"] == 0
made = at("kept = [Made(4000) for _ in range(30)]")  # before 3.12 a function of its own, called from the same line: once
assert 30 * 4001 <= made["total_bytes_allocated"] < 40 * 4001, made
by = {(r["file"].split("/")[-1], r["function"]): r for r in functions}
assert by["script.py", "__init__"]["bytes_allocated"] == 30 * 4001, by["script.py", "__init__"]
assert by["script.py", "main"]["total_bytes_allocated"] > by["script.py", "grow"]["total_bytes_allocated"]
END
python3 -S check.py || fail "memory by line is wrong"
"$REPORT" lines --source script.py "$OUTPUT" >text || fail "lines --source ended with $?"
expect_match "the source beside its figures" "$(grep 'one = bytearray' text)" '[1-9].* KiB .*one = bytearray\(n\)'

# without Python's frames: nothing is made up
INTERCEPT_STACKS=caller run_traced "$python" -c 'x = bytearray(100000)' || fail "ended with $?"
expect_eq "no bytes" "$(json lines "$OUTPUT" "{r['bytes_allocated'] for r in rows} <= {None}" --sort bytes_allocated)" true
"$REPORT" lines --sort bytes_allocated "$OUTPUT" | tr '\n' ' ' | grep -q 'record with INTERCEPT_STACKS=python' ||
	fail "nothing says how to have memory by line"

# growth by step
if "$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("torch"))'; then
	cat >steps.py <<'END'
import torch
held = []
network = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
for step in range(64):
    optimizer.zero_grad()
    network(torch.ones(4, 8)).sum().backward()
    held.append(bytearray(10000))
    fine = bytearray(20000)
    optimizer.step()
END
	export PYTHONPATH=$ROOT/tests/torch/eager
	INTERCEPT_STACKS=python run_traced "$python" steps.py || fail "steps.py ended with $?"
	expect_eq "growth by line" "$(json leaks "$OUTPUT" \
		"[(r['growth'], r['seems']) for r in rows if r['line'] and r['line'].endswith('steps.py:8')]" --by line)" '[[10001, "grows"]]'
	# what was loaded is more than what leaks, so that the first rows are others
	expect_match "where it is said to be" "$("$REPORT" leaks --by line --limit 1 "$OUTPUT")" \
		'grows  .*of the rows \(--sort growth has them first\)'
	expect_match "what is first then" "$("$REPORT" leaks --by line --limit 1 --sort growth "$OUTPUT" | tr '\n' ' ')" \
		'of the rows  *line.*steps\.py:8'
	expect_eq "what does not grow" "$(json leaks "$OUTPUT" \
		"[r['growth'] for r in rows if r['line'] and r['line'].endswith('steps.py:9')] in ([], [None])" --by line)" true
	rm -f "$OUTPUT"
	# what a function holds until it returns is no row: nothing of it was never freed
	{ echo "def main():" && sed 's/^/    /' steps.py && echo "main()"; } >main.py
	INTERCEPT_STACKS=python run_traced "$python" main.py || fail "main.py ended with $?"
	expect_match "what was freed behind the last step" "$("$REPORT" leaks --by line --limit 1 "$OUTPUT")" \
		'grows( too)?  +by [0-9.]+ KiB a step where all was freed later \(prof-report peak\)'
	expect "$OUTPUT" 'leaks.totals.freed_later_rows >= 1' 'leaks.totals.freed_later_growth >= 10001'
	unset PYTHONPATH
fi

# the same script under memray
folder=$("$ROOT/scripts/pip-folder.sh" memray 2>env.txt) || { echo "no memray: bytes by line are not compared with its: $(tail -1 env.txt)"; exit 0; }
PYTHONPATH=$folder "$python" -c 'import memray' 2>/dev/null || { echo "memray is not for '$python'"; exit 0; }
PYTHONPATH=$folder "$python" -m memray run -q -o memray.bin script.py >memray.txt 2>&1 || fail "memray: $(cat memray.txt)"
"$REPORT" lines --frames all --limit 0 --format json --sort bytes_allocated script.evt >all.json || fail "lines --frames all ended with $?"
cat >compare.py <<'END'
import collections, json
import memray
kind = memray.AllocatorType
heap = {kind.MALLOC, kind.CALLOC, kind.REALLOC, kind.POSIX_MEMALIGN, kind.ALIGNED_ALLOC, kind.MEMALIGN, kind.VALLOC, kind.PVALLOC}
left_out = {("script.py", i + 1) for i, line in enumerate(open("script.py")) if "not compared" in line}
theirs, mine = collections.Counter(), collections.Counter()
def put(into, file, line, blocks, size):
    key = (file.split("/")[-1], line)
    if key[0] in ("script.py", "made up.py") and key not in left_out and blocks:
        into[key + ("blocks",)] += blocks
        into[key + ("bytes",)] += size
for record in memray.FileReader("memray.bin").get_allocation_records():
    if kind(record.allocator) in heap:
        frame = (record.stack_trace(max_stacks=1) or [("", "", 0)])[0]
        put(theirs, frame[1], frame[2], 1, record.size)
for row in json.load(open("all.json"))["rows"]:
    put(mine, row["file"], row["line"], row["allocations"], row["bytes_allocated"])
differ = {key: (mine[key], theirs[key]) for key in set(mine) | set(theirs) if mine[key] != theirs[key]}
assert not differ, "ours and memray's: %s" % differ
assert len(theirs) >= 20, theirs
END
PYTHONPATH=$folder "$python" compare.py || fail "bytes by line are not memray's"

# By default large blocks have one: how much that is of all is said.
run_traced "$python" -c 'x = bytearray(100000)' || fail "ended with $?"
expect_match "what has no line" "$("$REPORT" lines --sort bytes_allocated "$OUTPUT")" 'of the allocated bytes have a line'
