#!/bin/bash
# Sampling: off when asked, children of all kinds, frames that a program scribbles over, capture ranges; why there is nothing.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3.11 || command -v python3) || skip "no Python 3"
"$python" -c 'import sys; sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 13))' || skip "no Python 3.9 to 3.13"

cat >burn.py <<'END'
import time
def burn(seconds=0.5):
    end = time.process_time() + seconds
    while time.process_time() < end:
        sum(range(100))
if __name__ == "__main__":
    burn()
END
samples() { # the number in the file; 0 without any
	json lines "$OUTPUT" 'totals["samples"]'
}

# 0 is off, and the report says what to do
INTERCEPT_SAMPLE=0 run_traced "$python" burn.py || fail "ended with $?"
expect_eq "samples with INTERCEPT_SAMPLE=0" "$(samples)" 0
expect_match "what is said" "$("$REPORT" lines "$OUTPUT")" 'no Python stack was sampled'
for wrong in 1001 -1 many 1.5; do
	rm -f ./*.evt*
	INTERCEPT_SAMPLE=$wrong run_traced "$python" -c 0 2>err || fail "ended with $?"
	expect_match "INTERCEPT_SAMPLE=$wrong" "$(cat err)" "^intercept: INTERCEPT_SAMPLE='$wrong' is not allowed"
done

# sampled whether or not anything of torch is wanted
for trace in alloc,torch alloc nvtx; do
	rm -f ./*.evt*
	env INTERCEPT_TRACE=$trace INTERCEPT_SAMPLE=1000 INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "$python" burn.py || fail "ended with $?"
	(($(samples) > 20)) || fail "few samples with $trace: $(samples)"
	expect_eq "function with $trace" "$(json lines "$OUTPUT" 'any(r["function"] == "burn" for r in rows)')" true
done

# children: fork(), multiprocessing's three ways
cat >children.py <<'END'
import multiprocessing, os
from burn import burn
def forked(): burn()
def work(_): burn()
if __name__ == "__main__":
    pid = os.fork()
    if pid == 0:
        forked()
        os._exit(0)
    os.waitpid(pid, 0)
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        child = context.Process(target=work, args=(method,))
        child.start()
        child.join()
        assert child.exitcode == 0
END
rm -f ./*.evt*
INTERCEPT_SAMPLE=1000 run_traced "$python" children.py || fail "children.py ended with $?"
expect_eq "processes that ran work()" "$(json lines "$OUTPUT" \
	'sum(r["function"] == "forked" for r in rows), sum(r["function"] == "work" for r in rows)')" "(1, 1)"
expect_eq "processes with samples" "$(json lines "$OUTPUT" 'len(rows) >= 5' --by process)" true
expect_match "the parent waits for children" "$(json lines "$OUTPUT" 'max(r["child_ns"] + r["io_ns"] for r in rows)')" '^[1-9]'

# scribbled frames, and an interpreter that dies at any moment: nobody crashes or hangs
cat >hostile.py <<'END'
import ctypes, os, random, sys, threading, time
from burn import burn
def scribble(word, value, undo):
    before = ctypes.c_uint64.from_address(word).value
    ctypes.c_uint64.from_address(word).value = value
    end = time.perf_counter() + 0.01
    while time.perf_counter() < end:
        pass
    ctypes.c_uint64.from_address(word).value = before
def victim(event):
    event.wait()
event = threading.Event()
thread = threading.Thread(target=victim, args=(event,))
thread.start()
frame = sys._current_frames()[thread.ident]
# the code of a frame that waits: a name, its file, its type
code = id(frame.f_code)
for offset in range(8, 144, 8):
    for value in (0, 1, code, 0xffffffffffffffff, 0x7fffffffffff, id(frame)):
        if offset not in (0,):
            scribble(code + offset, value, None)
event.set()
thread.join()
burn()
os._exit(7)
END
rm -f ./*.evt*
INTERCEPT_SAMPLE=1000 run_traced timeout 600 "$python" hostile.py
expect_eq "status of hostile.py" $? 7
expect_eq "samples" "$(json lines "$OUTPUT" 'totals["samples"] > 0')" true
expect_eq "the collector lives to the end" "$(json summary "$OUTPUT" 'totals["events_lost"]')" 0

# a kernel that refuses to read memory, or kills who asks: the program runs, and lines says why there is nothing
for how in eperm kill; do
	rm -f ./*.evt*
	"$PROGRAMS/confine" $how process_vm_readv env INTERCEPT_OUTPUT="$OUTPUT" LD_PRELOAD="$LIB" "$python" burn.py 2>err
	status=$?
	((status != 77)) || break # no seccomp here
	expect_eq "status under a filter that does $how" $status 0
	expect_match "what lines says under $how" "$("$REPORT" lines --wait 60 "$OUTPUT" | tr '\n' ' ')" 'does not let the collector'
done

# only while a range is open
cat >range.py <<'END'
from burn import burn
def outside(): burn(0.3)
outside()
END
rm -f ./*.evt*
INTERCEPT_CAPTURE=nvtx:never INTERCEPT_SAMPLE=1000 run_traced "$python" range.py || fail "range.py ended with $?"
expect_eq "samples outside of the range" "$(samples)" 0
