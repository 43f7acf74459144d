#!/bin/bash
# INTERCEPT_IO_MIN: short calls are added up, none is lost, not by kill -9 either; long ones have their file, line and step; preset light has it.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program io_calls
need_tool python3

# Every call is in a row or in the sum: as many as are recorded one by one. How many of them are long depends on the machine.
INTERCEPT_TRACE=io run_traced "$PROGRAMS/io_calls" all >counted || fail "io_calls failed"
others() { # calls but those that unmap: short ones are not even added up, since most of them are of no file
	json io "$OUTPUT" 'sum(r["calls"] for r in rows if r["function"] not in ("munmap", "msync")) + totals.get("short_calls", 0)' --by function
}
all=$(others)
for least in 1us 1ms 1000s; do
	INTERCEPT_TRACE=io INTERCEPT_IO_MIN=$least run_traced "$PROGRAMS/io_calls" all >summed || fail "io_calls failed with $least"
	cmp counted summed || fail "with $least the program counts something else"
	expect_eq "calls with $least" "$(others)" "$all"
	expect_eq "events lost with $least" "$(json summary "$OUTPUT" 'totals["events_lost"]')" 0
done
expect_eq "calls in rows" "$(json io "$OUTPUT" 'totals["calls"]')" 0
expect_match "a table without rows" "$("$REPORT" io "$OUTPUT" | tr -s '\n ' ' ')" 'every call took less than INTERCEPT_IO_MIN'

cat >waits.py <<'END'
import ctypes, os, select, signal, socket, struct, sys

nvtx = ctypes.CDLL(None)
ours, theirs = socket.socketpair()
ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 50000))
data = os.open("data", os.O_RDONLY)


def wait():
    try:
        os.read(ours.fileno(), 1)  # the kernel waits for 50 ms or longer
    except BlockingIOError:
        pass


for step in range(8):
    nvtx.nvtxRangePushA(b"step")
    for _ in range(500):
        os.pread(data, 16, 0)
    if step == 5:
        wait()
    if step == 6:
        select.select([ours], [], [], 0.06)
    nvtx.nvtxRangePop()
print(os.fstat(ours.fileno()).st_ino)
sys.stdout.flush()
if len(sys.argv) > 1:
    os.kill(os.getpid(), signal.SIGKILL)
END
head -c 4096 /dev/zero >data

INTERCEPT_PRESET=light INTERCEPT_STEP=step run_traced python3 waits.py >socket || fail "status $?"
step_ns() { # STEP COLUMN
	json steps "$OUTPUT" "row(step=$1)[\"$2\"]"
}
for step in 5 6; do
	expect_between "I/O of step $step" "$(step_ns $step io_ns)" 50000000 "$(($(step_ns $step total_ns) + 1000000))"
done
expect_eq "the socket" "$(json io "$OUTPUT" "row(file='socket:[$(cat socket)]')['errors']")" 1
expect_match "the line" "$("$REPORT" io --by line --format csv "$OUTPUT")" '(^|\n)[^\n]*waits\.py:11,'
expect_match "what is said of the rest" "$("$REPORT" io "$OUTPUT" | tr -s '\n ' ' ')" \
	'[0-9,]+ calls below 1\.00 ms \(INTERCEPT_IO_MIN\) took [0-9.]+ [a-z]+ together; they are in no row'
# a sum is recorded when it has reached the threshold, so a thread has few records of short calls
"$REPORT" dump "$OUTPUT" >dump.out
python3 -S - <<'END' || fail "sums"
import re
sums = [tuple(int(n) for n in re.findall(r"(?:calls|least_ns|total)=(\d+)", line)) for line in open("dump.out") if " io_short " in line]
assert sums and all(least == 1000000 for _, least, _ in sums), sums
assert sum(calls for calls, _, _ in sums) >= 8 * 490, sums
END

# After kill -9 the rest of the sum is there.
INTERCEPT_TRACE=io INTERCEPT_IO_MIN=1000s run_traced python3 waits.py killed >socket && fail "was not killed"
expect_between "calls of a killed program" "$(json io "$OUTPUT" 'totals["short_calls"]')" 4000 100000

# A call that never ends, on a descriptor whose short open was not recorded, is of no file; one that is known keeps its name.
cat >hangs.py <<'END'
import os, signal, sys

first = os.open("data", os.O_RDONLY)
os.close(first)
reader, writer = os.pipe()
os.dup2(reader, first)
child = os.fork()
if not child:
    os.read(first, 1)  # for ever
print(child)
sys.stdout.flush()
os.pread(os.open("data", os.O_RDONLY), 1, 0)
with open("/proc/%d/syscall" % child) as file:
    while not file.read().startswith("0 0x%x " % first):
        file.seek(0)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
END
if [[ -r /proc/self/syscall ]]; then
	INTERCEPT_TRACE=io INTERCEPT_IO_MIN=1000s run_traced python3 hangs.py >child || fail "hangs.py: status $?"
	expect_match "the call that did not end" "$("$REPORT" dump "$OUTPUT" | grep ' io_unfinished ')" 'fd=-2'
	expect_eq "its file" "$(json io "$OUTPUT" '[r["file"] for r in rows]')" '["(not known)"]'
fi
