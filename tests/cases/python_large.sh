#!/bin/bash
# Large blocks have lines of Python without a setting, on each Python 3.8 to 3.14; callers stay as they are; caller turns it off.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >large.py <<'END'
import ctypes, os, threading
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
kept = []
def keep(size):
    kept.append(bytes(size))
def native():
    libc.malloc(200000)
def work():
    for _ in range(50):
        keep(300000)
        keep(3000)
        native()
work()
thread = threading.Thread(target=keep, args=(5000000,))
thread.start()
thread.join()
if os.fork() == 0:
    keep(7000000)
    os._exit(0)
os.wait()
small = [str(number) for number in range(100000)]
END

lines() { # REPORT: "line blocks bytes" of large.py
	"$REPORT" "$1" --by line --limit 0 --format json "$OUTPUT" | python3 -S -c '
import json, sys
for row in json.load(sys.stdin)["rows"]:
    if "large.py:" in (row["line"] or ""):
        print(row["line"].split("/")[-1], row["allocations"], row.get("bytes", row.get("bytes_allocated")))' | sort
}

found=0
for python in "${PYTHONS[@]}"; do
	found=$((found + 1))
	rm -f ./*.evt
	run_traced "$python" large.py || fail "$python ended with $?"
	all=$(lines alloc)
	is_free_threaded "$python" ||
		expect_match "$python: blocks of a thread and of a child, too" "$all" 'large.py:6 52 270017[0-9][0-9]'
	# ctypes gives the GIL back; without it 3.14 does not say which frame runs
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 14))' ||
		expect_match "$python: blocks of C code" "$all" 'large.py:8 50 10000000'
	"$REPORT" alloc --limit 0 --format json "$OUTPUT" | python3 -S -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
wrong = [row["caller"] for row in rows if ".py" in row["caller"]]
sys.exit("rows by caller are lines: %s" % wrong if wrong else 0)' || fail "$python"
	is_free_threaded "$python" || expect_match "$python: arenas are Python's" "$("$REPORT" memory "$OUTPUT")" "Python's arenas"
	expect_match "$python: the share of the bytes" "$("$REPORT" peak "$OUTPUT" | tr '\n' ' ')" 'of the bytes shown here [0-9.]+ % have one'
	"$REPORT" check "$OUTPUT" >check.txt || fail "check: $(cat check.txt)"
	is_free_threaded "$python" || last=$python
done
((found > 0)) || skip "no Python 3.8 to 3.14 is installed"

rm -f ./*.evt
INTERCEPT_STACKS=caller run_traced "$last" large.py || fail "with callers only"
expect_eq "lines with callers only" "$(lines alloc)" ""
rm -f ./*.evt
INTERCEPT_STACKS_MIN=1M run_traced "$last" large.py || fail "of a megabyte or more"
expect_match "blocks of a megabyte or more" "$(lines alloc)" 'large.py:6 2 120000[0-9][0-9]'
exit 0
