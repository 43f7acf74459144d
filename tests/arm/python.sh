#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: Debian's CPython of aarch64 under the emulator. Its frames are those of the
# program, and with native frames around them each stack begins at the program's start.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >program.py <<'END'
def leaf(count):
    return [bytes(100000 + i) for i in range(count)]
def middle(count):
    return len(leaf(count))
for i in range(20):
    middle(10)
END
record() { # STACKS
	rm -f "$OUTPUT"
	qemu-aarch64 -L "$ARM_ROOT" -E "PYTHONHOME=$ARM_ROOT/usr" -E "INTERCEPT_OUTPUT=$OUTPUT" -E "INTERCEPT_STACKS=$1" \
		-E "LD_PRELOAD=$BUILD/arm/libintercept.so:${BUILD%/run}/programs/libemulated.so" \
		"$ARM_ROOT/usr/bin/python3.11" -S program.py || fail "status $?"
}

record python
rows=$(json alloc "$OUTPUT" \
	'[[[f["function"] + ":" + str(f["line"]) for f in r["stack"]], r["allocations"]] for r in rows if r["bytes_allocated"] > 10 ** 7]' \
	--by stack)
expect_eq "stacks of Python" "$rows" '[[["<listcomp>:2", "leaf:2", "middle:4", "<module>:6"], 200]]'
# of both readers, of this architecture and of the other
for report in alloc processes threads; do
	"$REPORT" "$report" --format json "$OUTPUT" >theirs.json || fail "$report of aarch64's reader"
	"$ROOT/build/prof-report" "$report" --format json "$OUTPUT" >ours.json || fail "$report of x86-64's reader"
	cmp theirs.json ours.json || fail "the readers differ in $report"
done

record both
cut=$("$REPORT" dump "$OUTPUT" | grep -a ' calloc .*size=1000[0-9][0-9] ' | grep -c '/4')
joined=$("$REPORT" dump "$OUTPUT" | grep -a ' calloc .*size=1000[0-9][0-9] ' | grep -c 'stack=')
expect_eq "cut stacks" "$cut" 0
expect_eq "stacks" "$joined" 200
echo "Python frames of CPython 3.11: as the program made them"
