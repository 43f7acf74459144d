#!/bin/bash
# coverage and pytest-cov below us, with Python stacks, both stacks and +functions: the same tests, lines and branches as bare.
# SPDX-License-Identifier: MIT
# timeout: 420
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"
python=$(torch_python) || python=/usr/bin/python3
folder=$(fetched coverage)
export PYTHONPATH=$folder PYTHONDONTWRITEBYTECODE=1
{ [[ -e $folder/made-of ]] && "$python" -c 'import coverage, pytest, pytest_cov' 2>/dev/null; } ||
	skip "no coverage and pytest-cov (scripts/pip-folder.sh coverage installs them)"

mkdir mine
cat >mine/__init__.py <<'END'
import threading

def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

def never():
    return 1

def branches(x):
    if x > 2:
        return "large"
    try:
        return [10, 20][x]
    except IndexError:
        return "none"
    finally:
        len([x])

def numbers(n):
    for i in range(n):
        yield i

def in_thread():
    got = []
    thread = threading.Thread(target=lambda: got.extend(numbers(3)))
    thread.start()
    thread.join()
    return got
END
cat >test_mine.py <<'END'
import asyncio, subprocess, sys
import mine, pytest

def test_fib():
    assert mine.fib(10) == 55

@pytest.mark.parametrize("x, wanted", [(0, 10), (2, "none"), (5, "large")])
def test_branches(x, wanted):
    assert mine.branches(x) == wanted

def test_thread():
    assert mine.in_thread() == [0, 1, 2]

def test_async():
    async def work():
        await asyncio.sleep(0)
        return mine.fib(3)
    assert asyncio.run(work()) == 2

def test_wrong():
    assert mine.fib(4) == 4
END
cat >.coveragerc <<'END'
[run]
branch = True
source = mine
END

measured() { # NAME COMMAND...: tests, and what was covered; nothing that has a time in it
	local name=$1
	shift
	rm -f .coverage "$OUTPUT"
	"$@" "$python" -m pytest -p no:cacheprovider -q --color=no --cov=mine --cov-branch "--cov-report=json:$name.json" test_mine.py >"$name.out" 2>"$name.err"
	echo "status $?" >>"$name.out"
	rm -f .coverage
	"$@" "$python" -m coverage run -m mine_script >>"$name.out" 2>>"$name.err"
	"$python" -m coverage json -q -o "$name.script.json" || fail "$name: no data of coverage: $(cat "$name.err")"
	"$python" - "$name" <<'END' >>"$name.out"
import json, sys
for path in (sys.argv[1] + ".json", sys.argv[1] + ".script.json"):
    for file, of in sorted(json.load(open(path))["files"].items()):
        print(file, of["executed_lines"], of["missing_lines"], of["executed_branches"], of["missing_branches"])
END
	sed -i -E "s/in [0-9.]+s/in a while/; s/0x[0-9a-f]+/an address/; s/$name.json/a file/" "$name.out"
}
echo 'import mine; print(mine.fib(5), mine.branches(1), mine.in_thread())' >mine_script.py

measured bare env
grep -q '^mine/__init__.py .*\[7\]' bare.out || fail "bare: never() is covered, or nothing was measured: $(cat bare.out bare.err)"
for setting in INTERCEPT_STACKS=python INTERCEPT_STACKS=both INTERCEPT_TRACE=+functions INTERCEPT_SAMPLE=1000; do
	measured traced run_traced env "$setting"
	cmp -s bare.out traced.out || fail "$setting: $(diff bare.out traced.out)"
	cmp -s <(grep -v '^intercept: ' bare.err) <(grep -v '^intercept: ' traced.err) || fail "$setting: $(diff bare.err traced.err)"
	"$REPORT" check "$OUTPUT" >check.out || fail "$setting: $(cat check.out)"
done
# before 3.12 threads have one profile function, which coverage's trace function is not: calls are recorded beside it
rm -f "$OUTPUT"
INTERCEPT_TRACE=+functions,-alloc run_traced "$python" -m coverage run -m mine_script >out || fail "status $?"
expect "$OUTPUT" 'sum(r["ncalls"] for r in functions.rows if r["function"] == "fib") == 15' \
	'sum(r["ncalls"] for r in functions.rows if r["function"] == "numbers") == 4'
