#!/bin/bash
# What lives when a Python program is done was never freed, though the interpreter frees it; what it freed itself was.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "before Python 3.10 the end is not marked"
cat >kept.py <<'PROGRAM'
import sys

assert "atexit" not in sys.modules
import atexit

kept = [bytes(1000000) for _ in range(50)]  # 1000033 with the head of an object
dropped = [bytes(300000) for _ in range(20)]
atexit.register(dropped.clear)
if sys.argv[1] == "exits":
    sys.exit(3)
PROGRAM
for how in returns exits; do
	rm -f "$OUTPUT"
	PYTHONMALLOC=pymalloc run_traced python3 -S kept.py "$how" >out 2>err
	status=$?
	[[ $how == exits ]] && wanted=3 || wanted=0
	expect_eq "status of kept.py $how ($(cat err))" "$status" "$wanted"
	expect_eq "end marked, $how" "$("$REPORT" dump "$OUTPUT" | grep -c 'teardown_begin name="python"')" 1
	expect "$OUTPUT" 'alloc("--by", "size").row(size=1048576).live_allocations == 50' \
		'alloc("--by", "size").row(size=524288).live_allocations == 0' \
		'alloc.totals.end_allocations == alloc.totals.allocations - alloc.totals.frees' \
		'alloc.totals.end_bytes < 40 * 1000000 < alloc.totals.live_bytes' \
		'summary.totals.live_bytes == alloc.totals.live_bytes'
done
"$REPORT" alloc "$OUTPUT" >text.txt || fail "alloc"
grep -q '^at the end .*still allocated after Python had shut down' text.txt || fail "no end: $(head -n 5 text.txt)"

# nothing of it is seen
verbose() { # COMMAND...: what python -v says, without addresses and numbers
	"$@" python3 -S -v -c 'import sys; print("atexit" in sys.modules)' 2>&1 | sed 's/0x[0-9a-f]*//g' | sort
}
rm -f "$OUTPUT"
expect_eq "python -v" "$(verbose run_traced)" "$(verbose env)"

# what another program than Python's leaves is what it leaves at its end
need_program counts
rm -f "$OUTPUT"
run_traced "$PROGRAMS/counts" /dev/null 2 2 2 >out || fail "counts"
expect "$OUTPUT" 'alloc.totals.end_allocations == alloc.totals.live_allocations'

# small objects are in arenas: the table says so, and with PYTHONMALLOC=malloc each of them is a block
cat >small.py <<'PROGRAM'
small = [str(number) for number in range(200000)]
PROGRAM
rm -f "$OUTPUT"
PYTHONMALLOC=pymalloc run_traced python3 -S small.py || fail "small.py"
"$REPORT" alloc "$OUTPUT" >text.txt || fail "alloc"
grep -q '^small objects of Python are not in this table' text.txt || fail "no word of arenas: $(tail -n 5 text.txt)"
expect "$OUTPUT" 'alloc.totals.allocations < 100000'
rm -f "$OUTPUT"
PYTHONMALLOC=malloc run_traced python3 -S small.py || fail "small.py with malloc"
"$REPORT" alloc "$OUTPUT" >text.txt || fail "alloc"
grep -q 'not in this table' text.txt && fail "arenas without arenas: $(tail -n 5 text.txt)"
expect "$OUTPUT" 'alloc.totals.allocations > 200000' 'alloc.totals.live_allocations > 200000'
