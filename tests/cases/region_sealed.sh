#!/bin/bash
# The shared memory cannot be cut off: not by the program itself through /proc, nor beneath its collector.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# Opening a map_files link takes a privilege; without it there is no way in at all.
cat >cut.py <<'END'
import errno, os, re
parts = [line.split()[0] for line in open("/proc/self/maps") if "memfd:intercept" in line]
print("mappings", len(parts))
start, end = (int(part, 16) for part in parts[0].split("-"))
try:
    fd = os.open("/proc/self/map_files/%x-%x" % (start, end), os.O_RDWR)
except PermissionError:
    fd = None
for length in (0, 2 * (end - start)):
    try:
        if fd is None:
            raise PermissionError
        os.ftruncate(fd, length)
        print("cut to", length)
    except PermissionError:
        print("refused")
keep = [bytes(3003) for i in range(200)]
END
run_traced python3 cut.py >out 2>err
expect_eq "exit status ($(cat out err))" $? 0
expect_eq output "$(tr '\n' ' ' <out)" 'mappings 1 refused refused '
expect_eq "standard error" "$(cat err)" ''
expect "$OUTPUT" 'ended(processes.rows[0], 0)' 'summary.totals.events_lost == 0'
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
