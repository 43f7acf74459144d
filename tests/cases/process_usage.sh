#!/bin/bash
# Peak of resident memory and CPU time of children, recorded or not, as the kernel counts them.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3
cat >kids.py <<'PROGRAM'
import resource
import subprocess

before = resource.getrusage(resource.RUSAGE_CHILDREN)  # of the shell that became this program
subprocess.run(["sh", "-c", "i=0; while [ $i -lt 1000000 ]; do i=$((i+1)); done"], check=True)
block = bytearray(200 << 20)
block[:: 4096] = b"x" * len(block[:: 4096])
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(int((usage.ru_utime + usage.ru_stime - before.ru_utime - before.ru_stime) * 1e9))
PROGRAM
run_traced python3 kids.py >out 2>err || fail "kids.py: $(cat err)"
wanted=$(cat out)
expect_between "memory at the peak" "$(json processes "$OUTPUT" 'rows[0]["memory_peak_bytes"]')" $((200 << 20)) $((400 << 20))
expect_between "children's CPU time" "$(json processes "$OUTPUT" 'rows[0]["children_ns"]')" $((wanted - 30000000)) $((wanted + 30000000))
expect_eq "the same in the summary" "$(json summary "$OUTPUT" 'row(name="memory_peak_bytes")["value"]')" \
	"$(json processes "$OUTPUT" 'rows[0]["memory_peak_bytes"]')"
"$REPORT" "$OUTPUT" >text.txt || fail "summary"
grep -q '^memory   resident .* at its peak' text.txt || fail "no resident memory: $(cat text.txt)"
if ((wanted > 1100000000)); then # from a second on
	grep -q 'not recorded took' text.txt || fail "no children: $(cat text.txt)"
fi

rm "$OUTPUT"
export INTERCEPT_CHILDREN=all
run_traced python3 kids.py >out 2>err || fail "with children: $(cat err)"
expect_between "what is not recorded" "$(json summary "$OUTPUT" 'row(name="children_not_recorded_ns")["value"]')" 0 200000000
