#!/bin/bash
# Hundreds of Python threads: each is sampled, and no stack is taken for torn only because there are many.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(torch_python || command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.8 to 3.13"
cat >prog.py <<'END'
import threading
wake = threading.Event()
def sleeper():
    wake.wait()
threads = [threading.Thread(target=sleeper) for _ in range(700)]
for thread in threads:
    thread.start()
input()  # until all were seen: looks that take long are made less often
wake.set()
for thread in threads:
    thread.join()
END
all_are_seen() {
	(($(json lines "$OUTPUT" 'len(rows)' --by thread --live 2>/dev/null || echo 0) >= 701))
}
mkfifo hold
INTERCEPT_TRACE=nvtx INTERCEPT_STACKS=caller run_traced "$python" prog.py <hold &
program=$!
exec 3>hold
eventually "a look at all threads" all_are_seen
echo >&3
exec 3>&-
wait $program || fail "prog.py ended with $?"
"$REPORT" lines --by thread --limit 0 --format json --wait 60 "$OUTPUT" >threads.json || fail "lines --by thread"
expect_eq "threads" "$(json lines "$OUTPUT" 'len(rows)' --by thread --limit 0)" 701
expect_eq "looks that left threads out" "$(json lines "$OUTPUT" 'totals["samples_partial"]')" 0
expect_eq "most stacks are read" "$(json lines "$OUTPUT" 'totals["samples_torn"] * 10 < totals["samples"]')" true
expect_eq "where they wait" "$(json lines "$OUTPUT" '[r["line"] for r in rows if r["function"] == "sleeper" and r["total_wait_ns"]]' --limit 0)" '[4]'
