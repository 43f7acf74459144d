#!/bin/bash
# Under -X perf each call has a frame of C code between a function and its caller: lines and stacks are those of a run without it.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# perf's maps are left behind by CPython, in a folder that cannot be chosen
maps=()
trap 'rm -f "${maps[@]}"' EXIT

cat >program.py <<'END'
import os, sys, time
print(os.getpid(), flush=True)
if sys.argv[1:] == ["later"]:
    sys.activate_stack_trampoline("perf")
def hot():
    end = time.thread_time() + 0.5
    while time.thread_time() < end:
        sum(range(50))
def outer():
    hot()
def leaf():
    return bytearray(9000000)
def middle():
    return leaf()
outer()
kept = middle()
END
trampolines() { # PYTHON: it can make them here
	"$1" -c 'import sys
sys.activate_stack_trampoline("perf")
import os
print(os.getpid())' 2>/dev/null
}
run() { # WHAT PYTHON ARGUMENT...
	local what=$1 pid
	shift
	rm -f ./*.evt*
	pid=$(INTERCEPT_STACKS=python INTERCEPT_SAMPLE=500 run_traced "$@" 2>err) || fail "$what ended with $?: $(cat err)"
	maps+=("/tmp/perf-$pid.map" /tmp/jit-"$pid".dump)
	! grep -q 'Python frames' err || fail "$what: $(cat err)"
	expect_eq "$what: who calls hot()" "$(json lines "$OUTPUT" '[r["total_cpu_ns"] > 100e6 for r in rows
		if r["file"].endswith("program.py") and r["function"] in ("hot", "outer")]' --by function)" "[true, true]"
	is_free_threaded "$python" || expect_eq "$what: the stack of a block" "$(json alloc "$OUTPUT" '[[f["function"] for f in r["stack"]] for r in rows
		if r["bytes_allocated"] >= 9000000]' --by stack --raw-stacks)" '[["leaf", "middle", "<module>"]]'
}

tried=0
for python in "${PYTHONS[@]}"; do
	pid=$(trampolines "$python") || continue
	maps+=("/tmp/perf-$pid.map")
	"$python" -c 'import sys; sys.exit(sys.version_info >= (3, 15))' || continue
	tried=$((tried + 1))
	run "$python -X perf" "$python" -X perf program.py
	run "$python, PYTHONPERFSUPPORT" env PYTHONPERFSUPPORT=1 "$python" program.py
	run "$python, sys.activate_stack_trampoline()" "$python" program.py later
	"$python" -c 'import sys; sys.exit(sys.version_info < (3, 13))' || continue
	run "$python -X perf_jit" "$python" -X perf_jit program.py
done
((tried > 0)) || skip "no Python 3.12 to 3.14 that makes trampolines for perf"
