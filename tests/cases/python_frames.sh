#!/bin/bash
# Python stacks equal sys._getframe()'s at the same place, of code of all kinds, on each Python 3.8 to 3.14 of the machine.
# SPDX-License-Identifier: MIT
# timeout: 400
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >compare.py <<'END'
import collections, json, re, sys
SIZE = 16 << 20
want, have = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    want[tuple(tuple(frame) for frame in json.loads(line))] += 1
for row in json.load(open(sys.argv[2]))["rows"]:
    # <string> of several programs is told apart by the program
    frames = tuple((f["function"], f["file"] and re.sub("^<([a-z]+) of .*>$", r"<\1>", f["file"]), f["line"]) for f in row["stack"])
    if row["stack"] and row["stack"][0]["module"] is None and row["bytes_allocated"] >= SIZE:
        have[frames] += row["bytes_allocated"] // SIZE
differ = [stack for stack in sorted(set(want) | set(have), key=str) if want[stack] != have[stack]]
for stack in differ[:3]:
    print("expected %d times, recorded %d times:" % (want[stack], have[stack]), *stack[:8], sep="\n  ")
print(len(want), "stacks,", len(differ), "differ")
sys.exit(bool(differ) or len(want) < 200)
END

compare() { # PYTHON: of a run of python_frames.py with these settings
	rm -f ./*.evt* want
	INTERCEPT_STACKS=python INTERCEPT_STACKS_DEPTH=4096 run_traced "$1" "$ROOT/tests/programs/python_frames.py" want children ||
		fail "$1 ended with $?"
	"$REPORT" alloc --by stack --raw-stacks --limit 0 --format json "$OUTPUT" >rows.json || fail "alloc of $1"
	python3 -S compare.py want rows.json >compared.txt || fail "$1: $(cat compared.txt)"
	"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"
}

found=0
for python in "${PYTHONS[@]}"; do
	found=$((found + 1))
	compare "$python"
	last=$python
done
((found > 0)) || skip "no Python 3.8 to 3.14 is installed"
PYTHONMALLOC=debug compare "$last"
PYTHONMALLOC=malloc compare "$last"

# CPython unmaps a part of its frames' stack while the thread still names a frame in it
cat >parts.py <<'END'
class Made:
    def __init__(self, a=1): self.a = a
def plain(a): return a
def generator():
    yield 1
def wrong(a, b): pass
def edge(n):
    if n:
        return edge(n - 1)
    Made(); Made(a=2); plain(1); plain(*[1]); list(generator())
    try:
        wrong(1)
    except TypeError:
        pass
    return [x for x in (lambda: (1, 2))()]
print(sum(len(edge(i)) for i in range(700)))
END
for python in "${PYTHONS[@]}"; do
	rm -f ./*.evt*
	expect_eq "parts.py of '$python'" "$(INTERCEPT_STACKS=python INTERCEPT_TRACE=+pymem,+io run_traced "$python" parts.py 2>&1)" 1400
done

# deeper than what is kept: the innermost frames, and a mark
cat >deep.py <<'END'
import ctypes, sys, threading
malloc = ctypes.PyDLL(None).malloc
def down(n):
    return down(n - 1) if n else malloc(7000001)
sys.setrecursionlimit(11000)
threading.stack_size(256 << 20)
thread = threading.Thread(target=down, args=(10000,))
thread.start()
thread.join()
END
INTERCEPT_STACKS=alloc:python run_traced "$last" deep.py || fail "deep.py ended with $?"
stack=$("$REPORT" dump "$OUTPUT" | sed -n 's/.* malloc ptr=[^ ]* size=7000001 .*stack=\([^ ]*\).*/\1/p')
expect_eq "frames of a deep stack" "$(tr ',' '\n' <<<"$stack" | wc -l)" 1024
expect_match "the outermost is marked as cut" "$stack" '/(12|28)$'

# without Python there are callers, and nothing is said
INTERCEPT_STACKS=python run_traced "$PROGRAMS/empty" 2>err.txt || fail "a program without Python ended with $?"
expect_eq "what is said" "$(cat err.txt)" ""
rm -f ./*.evt*

# --by python of a run whose stacks have none: what to do is said, and of stacks of one frame as well
for mode in caller native; do
	INTERCEPT_STACKS=$mode INTERCEPT_TRACE=+io run_traced "$last" -c 'open("/dev/null").close()' || fail "ended with $?"
	for report in alloc io; do
		expect_match "$report --by python, recorded with $mode" "$("$REPORT" $report --by python "$OUTPUT" | tr '\n' ' ')" \
			'no stack here has a Python function: record with INTERCEPT_STACKS=python or both'
	done
	rm -f ./*.evt*
done
INTERCEPT_STACKS=python run_traced "$last" -c 'print(len([bytearray(5000) for i in range(9)]))' || fail "ended with $?"
text=$("$REPORT" alloc --by python "$OUTPUT" | tr '\n' ' ')
[[ $text != *"record with INTERCEPT_STACKS"* ]] || fail "stacks of Python are there: $text"
