#!/bin/bash
# Objects of Python by line equal tracemalloc's and memray's, on each Python 3.8 to 3.14, whatever allocates; nothing changes for the program.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
program=$ROOT/tests/programs/python_blocks.py
# In the C locale CPython reads its settings twice, and forces the default allocator in between. A collection with callbacks leaves a
# dictionary in the interpreter's list of free ones, which the program would use again: so without gc.
export INTERCEPT_TRACE=+pymem,-gc INTERCEPT_STACKS=python LC_ALL=C.UTF-8

cat >compare.py <<'END'
import json, sys
program, want, have, mark = sys.argv[1:5]
lines = [str(n) for n, line in enumerate(open(program), 1) if mark in line.partition("  # ")[2]]
want, rows = json.load(open(want)), json.load(open(have))["rows"]
rows = {r["line"].rpartition(":")[2]: r for r in rows if r["line"] and r["line"].startswith(program + ":")}
for line in lines:
    row = rows.get(line, {})
    got = [row.get(name) for name in sys.argv[5:7]]
    if got != want.get(line):
        sys.exit("line %s: %r recorded, %r expected" % (line, got, want.get(line)))
sys.exit(len(lines) < 5)
END

blocks() { # PYTHON OPTION...: the rows by line of a run with these options
	rm -f ./*.evt*
	run_traced "$@" || fail "$* ended with $?"
	"$REPORT" alloc --allocator python --by line --limit 0 --format json --wait 60 "$OUTPUT" >rows.json || fail "alloc of $*"
	"$REPORT" check "$OUTPUT" >check.txt || fail "check of $*: $(cat check.txt)"
}

by_tracemalloc() { # PYTHON
	"$1" "$program" trace want.json || fail "$1 without us ended with $?"
	blocks "$1" "$program" keep
	python3 -S compare.py "$program" want.json rows.json same live_allocations live_bytes >differ.txt 2>&1 ||
		fail "$1, PYTHONMALLOC=${PYTHONMALLOC-}: $(cat differ.txt)"
}

found=0
for python in "${PYTHONS[@]}"; do
	found=$((found + 1))
	last=$python
	by_tracemalloc "$python"
	# all that is given back was seen before: nothing is older than us
	blocks "$python" "$program" free
	expect_eq "$python: frees of blocks that were not seen" "$(json alloc "$OUTPUT" 'totals["frees_unmatched"]' --allocator python)" 0
	# tracemalloc in the same run, started by the program or by the interpreter, says what it says without us
	# shellcheck disable=SC2086
	for option in "" "-X tracemalloc"; do
		[[ ! $option ]] || "$python" $option "$program" trace want.json || fail "$python $option ended with $?"
		blocks "$python" $option "$program" trace traced.json
		python3 -S -c 'import json, sys
lines = [n for n, line in enumerate(open(sys.argv[1]), 1) if "same" in line.partition("  # ")[2]]
a, b = (json.load(open(f)) for f in sys.argv[2:])
sys.exit("lines differ: %r %r" % (a, b) if any(a[str(n)] != b[str(n)] for n in lines) else 0)' "$program" want.json traced.json ||
			fail "$python $option: tracemalloc says something else with us"
	done
done
((found > 0)) || skip "no Python 3.8 to 3.14 is installed"
PYTHONMALLOC=debug by_tracemalloc "$last"
PYTHONMALLOC=malloc by_tracemalloc "$last"
PYTHONMALLOC=pymalloc_debug by_tracemalloc "$last"

# in processes of all kinds, sub-interpreters and threads
cat >kinds.py <<'END'
import multiprocessing, os, sys, threading
def work(kind):
    return sum(len(b"%d" % i) for i in range(1000)) + len(kind)
if __name__ == "__main__":
    for kind in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(kind)
        with context.Pool(2) as pool:
            assert pool.map(work, ["a"] * 4) == [2891] * 4
    threads = [threading.Thread(target=work, args=("b",)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters
    for _ in range(3):
        one = interpreters.create()
        (getattr(interpreters, "run_string", None) or interpreters.exec)(one, "x = [b'%d' % i for i in range(1000)]")
        interpreters.destroy(one)
    child = os.fork()
    if not child:
        os._exit(work("c") % 251)
    print(os.waitpid(child, 0)[1], sys.getallocatedblocks() > 1000)
END
for python in "${PYTHONS[@]}"; do
	expect_eq "$python: output" "$(run_traced "$python" kinds.py 2>err.txt)" "$((130 << 8)) True" # as each says without us
	expect_eq "$python: what is said" "$(cat err.txt)" ""
	"$REPORT" check ./*.evt* >check.txt || fail "check of processes of $python: $(cat check.txt)"
	rm -f ./*.evt*
done

# a realloc that fails leaves its block where it is
cat >fails.py <<'END'
import os
text = bytearray(70001)
try:
    import ctypes
    realloc = ctypes.pythonapi.PyMem_Realloc
    malloc = ctypes.pythonapi.PyMem_Malloc
    malloc.restype = realloc.restype = ctypes.c_void_p
    malloc.argtypes, realloc.argtypes = [ctypes.c_size_t], [ctypes.c_void_p, ctypes.c_size_t]
    block = malloc(70003)
    assert realloc(block, (1 << 62) - 1) is None
    calloc = ctypes.pythonapi.PyMem_RawCalloc
    calloc.restype, calloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t, ctypes.c_size_t]
    assert calloc(1001, 7)
finally:
    os._exit(0)
END
rm -f ./*.evt*
run_traced "$last" fails.py || fail "fails.py ended with $?"
expect_eq "reallocs that failed" "$(json alloc "$OUTPUT" 'totals["reallocs_failed"]' --allocator python)" 1
dump=$("$REPORT" dump "$OUTPUT")
expect_match "of calloc" "$dump" 'pymem_alloc ptr=[^ ]* size=7007 '
block=$(sed -n 's/.* pymem_alloc ptr=\([^ ]*\) size=70003 .*/\1/p' <<<"$dump")
expect_match "which" "$dump" "pymem_realloc_failed ptr=$block"

# without stacks a block has its caller, and switched off nothing
for mode in caller off; do
	rm -f ./*.evt*
	INTERCEPT_STACKS=$mode run_traced "$last" "$program" free || fail "$mode ended with $?"
	expect_between "rows by caller with $mode" "$(json alloc "$OUTPUT" 'len(rows)' --allocator python)" 1 100000
	expect_eq "the sum by thread with $mode" "$(json alloc "$OUTPUT" 'sum(r["bytes_allocated"] for r in rows) == totals["bytes_allocated"]' \
		--allocator python --by thread)" true
done
expect_eq "leaks and peak have them" "$(json leaks "$OUTPUT" 'totals["bytes"] > 0' --allocator python) $(json peak "$OUTPUT" \
	'totals["bytes"] > 0' --allocator python) $(json flame "$OUTPUT" 'totals["total"] > 0' --of pymem)" "true true true"

# not recorded: said, with what to do
rm -f ./*.evt*
INTERCEPT_TRACE='' run_traced "$last" -c pass || fail "ended with $?"
expect_match "when it was not asked for" "$("$REPORT" alloc --allocator python "$OUTPUT" | tr '\n' ' ')" 'INTERCEPT_TRACE=\+pymem'

# memray on the same script
folder=$(fetched memray)
need_torch
[[ -d $folder/memray ]] || skip "no memray (scripts/pip-folder.sh memray installs it); all before it passed"
cat >memray_lines.py <<'END'
import collections, json, sys
from memray import AllocatorType, FileReader
python = {AllocatorType.PYMALLOC_MALLOC, AllocatorType.PYMALLOC_CALLOC, AllocatorType.PYMALLOC_REALLOC}
lines = collections.defaultdict(lambda: [0, 0])
with FileReader(sys.argv[1]) as reader:
    for record in reader.get_allocation_records():
        stack = record.stack_trace(max_stacks=1) if AllocatorType(record.allocator) in python else None
        if stack and stack[0][1] == sys.argv[2]:
            lines[stack[0][2]][0] += record.n_allocations
            lines[stack[0][2]][1] += record.size
json.dump(lines, sys.stdout)
END
PYTHONPATH=$folder "$PYTHON" -m memray run -q -f --trace-python-allocators -o memray.bin "$program" free >memray.txt 2>&1 ||
	skip "memray does not run here: $(cat memray.txt)"
PYTHONPATH=$folder "$PYTHON" memray_lines.py memray.bin "$program" >want.json || fail "cannot read memray's file"
blocks "$PYTHON" "$program" free
python3 -S compare.py "$program" want.json rows.json all allocations bytes_allocated >differ.txt 2>&1 || fail "memray: $(cat differ.txt)"
