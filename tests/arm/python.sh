#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Run by scripts/test-arm.sh, which sets O and ARM_ROOT: CPython of aarch64 under the emulator, of four releases of Debian. Its frames are
# those of the program, and with native frames around them each stack begins at the program's start.
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >program.py <<'END'
def leaf(count):
    return [bytes(100000 + i) for i in range(count)]
def middle(count):
    return len(leaf(count))
for i in range(20):
    middle(10)
END
record() { # VERSION ROOT STACKS
	local system=$2
	[[ $1 != 3.9 ]] || system=$ARM_ROOT # its libc is older than that which the library is built with
	rm -f "$OUTPUT"
	qemu-aarch64 -L "$system" -E "PYTHONHOME=$2/usr" -E "INTERCEPT_OUTPUT=$OUTPUT" -E "INTERCEPT_STACKS=$3" \
		-E "LD_PRELOAD=$BUILD/arm/libintercept.so:${BUILD%/run}/programs/libemulated.so" \
		"$2/usr/bin/python$1" -S program.py || fail "CPython $1: status $?"
}
frames() { # VERSION ROOT INNERMOST
	local rows cut joined
	record "$1" "$2" python
	rows=$(json alloc "$OUTPUT" \
		'[[[f["function"] + ":" + str(f["line"]) for f in r["stack"]], r["allocations"]] for r in rows if r["bytes_allocated"] > 10 ** 7]' \
		--by stack)
	expect_eq "stacks of CPython $1" "$rows" "[[[$3\"leaf:2\", \"middle:4\", \"<module>:6\"], 200]]"
	record "$1" "$2" both
	cut=$("$REPORT" dump "$OUTPUT" | grep -a ' calloc .*size=1000[0-9][0-9] ' | grep -c '/4')
	joined=$("$REPORT" dump "$OUTPUT" | grep -a ' calloc .*size=1000[0-9][0-9] ' | grep -c 'stack=')
	expect_eq "cut stacks of CPython $1" "$cut" 0
	expect_eq "stacks of CPython $1" "$joined" 200
}

for version in 3.9 3.13 3.14; do
	root=$("$ROOT/scripts/arm-python-env.sh" "$version") || fail "no CPython $version for aarch64"
	[[ $version == 3.9 ]] && inner='"<listcomp>:2", ' || inner='' # part of its function since 3.12
	frames "$version" "$root" "$inner"
done
frames 3.11 "$ARM_ROOT" '"<listcomp>:2", '
# of both readers, of this architecture and of the other
for report in alloc processes threads; do
	"$REPORT" "$report" --format json "$OUTPUT" >theirs.json || fail "$report of aarch64's reader"
	"$ROOT/build/prof-report" "$report" --format json "$OUTPUT" >ours.json || fail "$report of x86-64's reader"
	cmp theirs.json ours.json || fail "the readers differ in $report"
done
echo "Python frames of CPython 3.9, 3.11, 3.13 and 3.14: as the program made them"
