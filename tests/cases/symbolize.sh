#!/bin/bash
# prof-report symbolize: a copy of the recording that names functions without the program; the recording stays as it is.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

functions() { # FILE: of the program's own calls
	json alloc "$1" "[[row['function'], row['line']] for row in sorted(rows, key=lambda row: row['bytes_allocated']) if row['module'] == 'subject']"
}
refused() { # PATTERN ARGUMENT...
	local pattern=$1
	shift
	"$REPORT" symbolize "$@" >out 2>err && fail "not refused: $*"
	grep -q "$pattern" err || fail "refused for another reason: $(cat err)"
}

cp "$BUILD/programs/symbols" subject
mkfifo hold
run_traced ./subject <hold 2>err &
subject=$!
exec 3>hold
eventually "modules of subject" knows_module "$OUTPUT" subject
refused 'still being written' --live "$OUTPUT"
exec 3>&-
wait "$subject" || fail "subject: $(cat err)"

wanted=$(functions "$OUTPUT")
grep -q 'hidden' <<<"$wanted" || fail "no functions: $wanted"
cp run.evt before.bytes
"$REPORT" symbolize "$OUTPUT" >out 2>err || fail "status $?: $(cat err)"
expect_match "what is said" "$(cat out)" 'run.symbols.evt: ([0-9]+) of ([0-9]+) addresses named, [0-9]+ bytes added$'
cmp run.evt before.bytes || fail "the recording has changed"
expect_eq "a copy is no other file of the session" "$(json alloc run.evt totals.get\(\"allocations\"\))" "$(json alloc run.symbols.evt totals.get\(\"allocations\"\))"

# the same names where the program and its libraries are another's
mv subject elsewhere
expect_eq "without the program" "$(functions run.symbols.evt)" "$wanted"
expect_eq "--symbols off" "$("$REPORT" alloc --by function --symbols off --format csv --columns function,allocations run.symbols.evt | grep -c '^\[subject\]')" 1
"$REPORT" alloc run.symbols.evt >out || fail "status $?"
! grep -q 'no functions of' out || fail "nothing is missing: $(cat out)"
"$REPORT" check run.symbols.evt >out || fail "check: $(cat out)"
python3 "$ROOT/scripts/evtdump.py" run.symbols.evt >second || fail "evtdump"
"$REPORT" dump run.evt | cmp - second || fail "the events are others"
! command -v zstd >/dev/null || zstd -tq run.symbols.evt || fail "no zstd stream"

# what the recording knows already is not lost, and symbols are not there twice
cp run.symbols.evt first.evt
"$REPORT" symbolize run.symbols.evt >out 2>err || fail "status $?: $(cat err)"
expect_eq "once more" "$(functions run.symbols.evt)" "$wanted"
expect_eq "its size" "$(stat -c %s run.symbols.evt)" "$(stat -c %s first.evt)"
"$REPORT" symbolize -o run.symbols.evt run.symbols.evt >out 2>err || fail "in place: $(cat err)"
expect_eq "in place" "$(functions run.symbols.evt)" "$wanted"
"$REPORT" symbolize -o named.evt first.evt >out 2>err || fail "-o: $(cat err)"
expect_eq "-o" "$(functions named.evt)" "$wanted"

# all frames of a stack, not only the innermost; the cache knows nothing
mv elsewhere subject
INTERCEPT_STACKS=native OUTPUT=stacks.evt run_traced ./subject <hold 2>err &
subject=$!
exec 3>hold
eventually "modules of subject" knows_module stacks.evt subject
exec 3>&-
wait "$subject" || fail "subject: $(cat err)"
stacks() { XDG_CACHE_HOME=$PWD/no_cache "$REPORT" flame --format folded --raw-stacks "$1"; }
stacks stacks.evt >wanted
grep -q ';main;.*hidden' wanted || fail "no stacks: $(cat wanted)"
"$REPORT" symbolize stacks.evt >out 2>err || fail "status $?: $(cat err)"
mv subject elsewhere
rm -rf no_cache
stacks stacks.symbols.evt | cmp - wanted || fail "stacks without the program: $(stacks stacks.symbols.evt)"
mv elsewhere subject

# what must not be overwritten, and what cannot be done
echo "not a recording" >other.evt
refused 'is there and no copy of' -o other.evt run.evt
expect_eq "another file" "$(cat other.evt)" "not a recording"
refused 'cannot write' -o no/such/folder.evt run.evt
refused 'other.evt' other.evt
refused 'no-such.evt' no-such.evt
refused 'takes no --' --by caller run.evt
expect_eq "nothing half written" "$(find . -name '*.evt.??????')" ""
cmp run.evt before.bytes || fail "the recording has changed"

# damage to the symbols costs the symbols, and is said
for at in 30 60 100; do
	python3 -S - "$at" <<'END' || fail "python"
import struct, sys
data = bytearray(open("first.evt", "rb").read())
start = data.find(struct.pack("<I", 0x184D2A52))
assert start > 0
data[start + int(sys.argv[1])] ^= 0x55
open("damaged.evt", "wb").write(data)
END
	"$REPORT" check damaged.evt >out && fail "check says nothing of damaged symbols"
	grep -q 'its symbols are damaged' out || fail "check: $(cat out)"
	expect_eq "damaged at $at" "$(json alloc damaged.evt 'totals["allocations"]' 2>/dev/null)" "$(json alloc run.evt 'totals["allocations"]')"
done

# a recording that was cut short
head -c "$(($(stat -c %s run.evt) - 60))" before.bytes >short.evt
mv elsewhere subject
"$REPORT" symbolize short.evt >out 2>err || fail "status $?: $(cat err)"
rm subject
expect_eq "cut short" "$(functions short.symbols.evt 2>/dev/null)" "$wanted"
