#!/bin/bash
# The program has no child, thread or descriptor of ours, and may unshare its user namespace.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
same_as_bare "$PROGRAMS/processes" nothing
grep -q 'wait: -1 No child processes' traced.out || fail "a child: $(cat traced.out)"
same_as_bare python3 -c 'import os
print(len(os.listdir("/proc/self/task")), sorted(os.listdir("/proc/self/fd"))[:-1])
try:
    os.wait()
except ChildProcessError as error:
    print(error)'
if command -v unshare >/dev/null && unshare -U true 2>/dev/null; then
	same_as_bare unshare -U true
	INTERCEPT_CHILDREN=all same_as_bare unshare -U true
fi
# A program that adopts orphans does not adopt the collector: a subreaper, and process 1 of a container.
cat >adopts.py <<'END'
import ctypes, os, sys
if sys.argv[1] == "subreaper":
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    os.environ["LD_PRELOAD"] = sys.argv[2]
    os.execv(sys.executable, [sys.executable, sys.argv[0], "count"])
if os.fork() == 0:
    os._exit(0)
reaped = 0
try:
    while True:
        os.wait()
        reaped += 1
except ChildProcessError:
    print("reaped", reaped)
END
rm -f run.evt
expect_eq "children of a subreaper" "$(INTERCEPT_OUTPUT=$OUTPUT timeout 600 python3 adopts.py subreaper "$LIB")" "reaped 1"
if unshare -pf --mount-proc true 2>/dev/null; then
	expect_eq "children of process 1" "$(INTERCEPT_OUTPUT=$PWD/one.evt timeout 600 unshare -pf --mount-proc \
		env LD_PRELOAD="$LIB" python3 adopts.py count)" "reaped 1"
	"$REPORT" check one.evt >check.out || fail "check of process 1: $(cat check.out)"
fi
