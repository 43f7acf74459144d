#!/bin/bash
# What reports of native samples say of the recorder's own functions, of CPU time across an exec, and of a program whose children have the CPU time.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program native_spin
export INTERCEPT_SAMPLE=1000

# each call of malloc() and free() is recorded: that is one function, of a name that says who it is
INTERCEPT_TRACE=alloc,native-samples run_traced "$PROGRAMS/native_spin" heap 1 || fail "heap: status $?"
"$REPORT" native --wait 60 --limit 0 "$OUTPUT" >table || fail "native: status $?"
off=$(grep 'no native stack was sampled' table) && skip "$off"
"$REPORT" native --format json --limit 0 "$OUTPUT" >native.json || fail "native: status $?"
"$REPORT" native --by stack --raw-stacks --format json --limit 0 "$OUTPUT" >raw.json || fail "raw stacks: status $?"
"$REPORT" native --by stack --format json --limit 0 "$OUTPUT" >stacks.json || fail "stacks: status $?"
python3 -S - <<'END' || fail "$(cat table)"
import json
rows, raw, stacks = (json.load(open(name + ".json"))["rows"] for name in ("native", "raw", "stacks"))
own = "[recording by intercept]"
names = {f["function"] for r in raw for f in r["stack"] if f.get("module") == "libintercept.so"}
inner = sum(r["samples"] for r in raw if r["stack"][0].get("module") == "libintercept.so")
assert len(names) > 2 and inner > 20, (names, inner)
row, = (r for r in rows if r["function"] == own)
assert row["samples"] == inner, (row, inner)
assert row["total_cpu_ns"] == row["cpu_ns"], row  # what malloc() itself takes is no cost of recording
# the program and libc have functions of the same names: malloc(), free(), and whatever static one a program calls as we do
others = {f["function"] for r in raw for f in r["stack"] if f.get("module") != "libintercept.so"}
assert not (names - others) & {r["function"] for r in rows}, names
assert any(r["total_cpu_ns"] > r["cpu_ns"] for r in rows if r["function"] == "heap"), rows
for r in stacks:
    at = [i for i, f in enumerate(r["stack"]) if f["function"] == own]
    assert at in ([], [0]), r
    assert all(f["function"] == own for f in r["stack"] if f.get("module") == "libintercept.so"), r
END
expect_match 'what recording costs' "$(tr '\n' ' ' <table)" '\[recording by intercept\] is what this recording costs the program: [0-9.]+ % of its CPU time\.'

# one that becomes another program is one process to the kernel, which goes on counting: one second, then two
rm -f run*.evt
INTERCEPT_SAMPLE=100 INTERCEPT_TRACE=native-samples run_traced "$PROGRAMS/native_spin" exec 2 || fail "exec: status $?"
written
expect_match 'exec: CPU time' "$("$REPORT" native "$OUTPUT" | head -1)" 'the processes used 3\.[0-9]'

# a driver that starts others: they have the CPU time
rm -f run*.evt
INTERCEPT_SAMPLE=1 INTERCEPT_TRACE=native-samples,osrt run_traced "$PROGRAMS/native_spin" child 1.5 || fail "child: status $?"
written
says='child programs that were not recorded took 1\.[0-9]+ s of CPU time \(INTERCEPT_CHILDREN=all'
expect_match 'children: native' "$("$REPORT" native "$OUTPUT" | tr '\n' ' ')" "no native stack was sampled: $says"
summary=$("$REPORT" "$OUTPUT" | tr '\n' ' ')
expect_match 'children: the summary' "$summary" "$says"
[[ $summary != *'Only Python is sampled'* ]] || fail "the summary: $summary"
expect_match 'children: the wait' "$summary" 'The main thread waits for a child process in wait'
[[ $summary != *'the rest went to was not recorded'* ]] || fail "the wait is said to be unknown: $summary"

# a program without names has its own name as its first answer
rm -f run*.evt
strip -s -R .note.gnu.build-id -o stripped "$PROGRAMS/native_spin" || fail "strip: status $?"
INTERCEPT_SAMPLE=1000 INTERCEPT_TRACE=native-samples run_traced ./stripped shares 0.3 || fail "stripped: status $?"
written
expect_match 'stripped: the summary' "$("$REPORT" "$OUTPUT" | tr '
' ' ')" '[0-9]+ % of the CPU time: stripped \('
expect_match 'stripped: bottleneck' "$("$REPORT" bottleneck --format json "$OUTPUT" | tr '
' ' ')" '"hot_library"'
exit 0
