#!/bin/bash
# A program without CUDA maps nothing more for it; a program that sleeps in a session wakes at its first CUDA call.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_moments
maps() { # TRACE: what /bin/cat has mapped, without addresses: size, rights and path
	rm -f ./*.evt
	INTERCEPT_TRACE=$1 run_traced cat /proc/self/maps >maps.txt || fail "$1: status $?"
	python3 -S - <<'END_PYTHON'
for line in open("maps.txt"):
    fields = line.split(None, 5)
    first, last = (int(word, 16) for word in fields[0].split("-"))
    if not fields[5:] or fields[5].strip() not in ("[stack]", "[heap]"):
        print(last - first, fields[1], *fields[5:])
END_PYTHON
}
maps alloc,nvtx >before.txt
maps alloc,nvtx,cuda >after.txt
diff before.txt after.txt >differences.txt || fail "mapped with cuda: $(cat differences.txt)"
grep -q 'libcud' after.txt && fail "CUDA is mapped: $(grep libcud after.txt)"

# The child is a program of no interest until it calls CUDA.
python=$(python3 -c "import sys; print(sys.executable)")
export FAKE_CUDA_COUNTS=$PWD/counts.json
child() { # TRACE CHILDREN
	rm -f ./*.evt counts.json
	INTERCEPT_TRACE=$1 INTERCEPT_CHILDREN=$2 run_traced "$python" -c \
		"import subprocess, sys; sys.exit(subprocess.run(['$PROGRAMS/cuda_moments', 'handler', 'destructor']).returncode)" ||
		fail "$2: status $?"
}
child alloc,nvtx,cuda auto
same_as_fake "$OUTPUT" counts.json
expect "$OUTPUT" 'len(processes.rows) == 2' 'launches.totals.calls == 101'
child alloc,nvtx,cuda none
expect "$OUTPUT" 'len(processes.rows) == 1' 'launches.totals.calls == 0'
child alloc,nvtx auto
expect "$OUTPUT" 'len(processes.rows) == 1'
