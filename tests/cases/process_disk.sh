#!/bin/bash
# What the kernel read from disks for a process and is to write there, as the process itself and its parent are told.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_tool python3
cat >child.py <<'PROGRAM'
import os

fd = os.open("data", os.O_RDWR | os.O_CREAT)
os.write(fd, bytes(8 << 20))
os.fsync(fd)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)  # read again from the disk, where there is one
os.lseek(fd, 0, os.SEEK_SET)
while os.read(fd, 1 << 20):
    pass
try:
    print(open("/proc/self/io").read())
except OSError:
    pass
PROGRAM
# the parent keeps the ended child for a moment: what the kernel has counted for it then is the most there can be
cat >parent.py <<'PROGRAM'
import os
import subprocess
import sys

environment = dict(os.environ, LD_PRELOAD=sys.argv[1], INTERCEPT_OUTPUT=sys.argv[2], INTERCEPT_TRACE="+io")


def numbers(text):
    lines = dict(line.split(": ") for line in text.splitlines() if ": " in line)
    if not lines:
        return "none none"
    return "%d %d" % (int(lines["read_bytes"]), max(0, int(lines["write_bytes"]) - int(lines["cancelled_write_bytes"])))


with open("said", "w") as said:
    child = subprocess.Popen([sys.executable, "child.py"], env=environment, stdout=said)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    try:
        last = open("/proc/%d/io" % child.pid).read()
    except OSError:
        last = ""
    assert child.wait() == 0
print(numbers(open("said").read()), numbers(last))
PROGRAM
python3 parent.py "$LIB" "$OUTPUT" >counted 2>err || fail "parent.py: $(cat err)"
read -r read written most_read most_written <counted
if [[ $read == none || $most_read == none ]]; then # a kernel that does not count: no number is invented
	expect "$OUTPUT" 'processes.rows[0].disk_read_bytes is None' 'processes.rows[0].disk_written_bytes is None'
else
	expect_between "bytes read from disks" "$(json processes "$OUTPUT" 'rows[0]["disk_read_bytes"]')" "$read" "$most_read"
	# of a part of the run nobody knows it
	expect "$OUTPUT" 'io.totals.disk_read_bytes == processes.sum("disk_read_bytes")' \
		'io.totals.disk_written_bytes == processes.sum("disk_written_bytes")' \
		'"disk_read_bytes" not in io("--time", "0s..1ms").totals'
	"$REPORT" io "$OUTPUT" | tr '\n' ' ' | grep -q 'the kernel read .* from disks' || fail "no line above the table"
	expect_between "bytes written to them" "$(json processes "$OUTPUT" 'rows[0]["disk_written_bytes"]')" "$written" "$most_written"
fi
# an older recording does not know
expect "$ROOT/tests/golden/memory.evt" 'all(r.disk_read_bytes is None for r in processes.rows)'
