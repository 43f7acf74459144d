#!/bin/bash
# INTERCEPT_KEEP_LAST: only the newest part of the file stays on disk, while the program runs and after kill -9; what is left reads.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program long_run
need_program confine
need_tool zstd
"$PROGRAMS/confine" eperm fallocate true || skip "no seccomp here"
export INTERCEPT_STEP=step INTERCEPT_CHILDREN=all

disk_kib() { # FILE
	du -k "$1" | cut -f 1
}

has_steps() { # N
	[[ $(stat -c %s progress) -ge $1 ]]
}

# Six million events and a file of 9 MB, of which 1 MB stays at each moment.
INTERCEPT_KEEP_LAST=1M INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB "$PROGRAMS/long_run" 150 20000 progress &
pid=$!
while kill -0 $pid 2>/dev/null; do
	[[ ! -e $OUTPUT ]] || expect_between "KiB on disk while it runs" "$(disk_kib "$OUTPUT")" 0 1024
done
wait $pid || fail "status $?"
written
punched=$(($(stat -c %s "$OUTPUT") / 1024 - $(disk_kib "$OUTPUT")))
[[ $punched -gt 2000 ]] || skip "no holes in files here"
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
zstd -tq "$OUTPUT" || fail "no valid zstd stream"
expect "$OUTPUT" 'summary.totals.kept_from_ns > 0' 'summary.totals.kept_to_ns > summary.totals.kept_from_ns' \
	'summary.totals.events_lost == 0' 'summary.totals.profiler_memory_bytes < 32 << 20' \
	'alloc.totals.frees_unmatched == 0' 'alloc.totals.frees_before_kept > 0' \
	'min(r.step for r in steps.rows) > 50' 'max(r.step for r in steps.rows) == 149' \
	'all(r.start_ns + r.total_ns >= summary.totals.kept_from_ns for r in steps.rows)'
for report in summary alloc steps nvtx threads; do
	"$REPORT" $report "$OUTPUT" >table.txt || fail "$report: status $?"
	tr '\n' ' ' <table.txt | grep -q 'the last .* are kept' || fail "$report does not say what was kept: $(head -n 4 table.txt)"
done
# a range that is open since the program's start holds for what was kept; functions have names
allocated=$(json alloc "$OUTPUT" 'totals["allocations"]')
main=$(json alloc "$OUTPUT" 'row(function="main")["allocations"]')
expect_between "allocations by main" "$main" $((allocated * 9 / 10)) "$allocated"
expect_eq "allocations within 'all'" "$(json alloc "$OUTPUT" 'totals["allocations"]' --range all)" "$main"
# copies have no hole, and their texts are those of other copies
"$REPORT" redact "$OUTPUT" -o redacted.evt >/dev/null || fail "redact: status $?"
"$REPORT" check redacted.evt >check.out || fail "check of the redacted copy: $(cat check.out)"
zstd -dcq redacted.evt | grep -aqF "$PROGRAMS" && fail "the redacted copy has a path"
"$REPORT" symbolize "$OUTPUT" -o symbolized.evt >/dev/null || fail "symbolize: status $?"
"$REPORT" check symbolized.evt >check.out || fail "check of the symbolized copy: $(cat check.out)"
for copy in redacted symbolized; do
	expect_eq "allocations in the $copy copy" "$(json alloc $copy.evt 'totals["allocations"]')" "$allocated"
	expect_between "bytes of the $copy copy" "$(stat -c %s $copy.evt)" 1000 1200000
done

# By steps; the second reader prints the same.
INTERCEPT_KEEP_LAST=5steps INTERCEPT_OUTPUT=$PWD/steps.evt LD_PRELOAD=$LIB "$PROGRAMS/long_run" 400 300 progress || fail "status $?"
written
"$REPORT" dump steps.evt >first.txt || fail "dump: status $?"
python3 "$ROOT/scripts/evtdump.py" steps.evt >second.txt || fail "evtdump.py: status $?"
cmp first.txt second.txt || fail "evtdump.py differs"
expect steps.evt 'max(r.step for r in steps.rows) == 399' '395 in [r.step for r in steps.rows]'
# By time.
INTERCEPT_KEEP_LAST=1s INTERCEPT_OUTPUT=$PWD/time.evt LD_PRELOAD=$LIB "$PROGRAMS/long_run" 400 300 progress || fail "status $?"
written
"$REPORT" check time.evt >check.out || fail "check: $(cat check.out)"

# kill -9 of the program and its collector after so many steps, while segments are given back.
for steps in 1 7 12 18 25 33 40 47 55 64; do
	file=$PWD/killed$steps.evt
	: >progress
	INTERCEPT_KEEP_LAST=1M INTERCEPT_OUTPUT=$file LD_PRELOAD=$LIB "$PROGRAMS/long_run" 1000000 20000 progress 2>/dev/null &
	pid=$!
	collector=$(collector_of "$file")
	eventually "$steps steps" has_steps "$steps"
	kill -9 "$collector" $pid
	wait $pid 2>/dev/null
	"$REPORT" check "$file" >check.out
	grep -v 'no end marker\|ends inside frame\|faults\?: ' check.out && fail "killed after $steps steps: $(cat check.out)"
	expect_between "KiB on disk after $steps steps" "$(disk_kib "$file")" 0 1024
	python3 "$ROOT/tests/invariants.py" "$REPORT" "$file" >faults.txt || fail "killed after $steps steps: $(cat faults.txt)"
	"$REPORT" summary "$file" >table.txt 2>/dev/null
	# how much was written by then depends on the machine; of what is beyond the limit something was given back
	[[ $(stat -c %s "$file") -lt 1200000 ]] || tr '\n' ' ' <table.txt | grep -q 'the last .* are kept' ||
		fail "after $steps steps nothing was given back of $(stat -c %s "$file") bytes"
	rm "$file"
done

# Where the file system cannot give back, the program is told, and a size is the limit of the file.
"$PROGRAMS/confine" eperm fallocate env INTERCEPT_KEEP_LAST=1M INTERCEPT_OUTPUT="$PWD/whole.evt" LD_PRELOAD="$LIB" \
	"$PROGRAMS/long_run" 60 20000 2>err.txt
written
grep -q "cannot give back parts of a file; the recording ends" err.txt || fail "no message: $(cat err.txt)"
expect_between "bytes of the file" "$(stat -c %s whole.evt)" 500000 1048576
expect whole.evt 'summary.totals.events_lost > 0' "'kept_from_ns' not in summary.totals"
INTERCEPT_KEEP_LAST=1x LD_PRELOAD=$LIB "$PROGRAMS/long_run" 1 1 2>err.txt
grep -q "INTERCEPT_KEEP_LAST='1x' is not allowed" err.txt || fail "no message: $(cat err.txt)"
