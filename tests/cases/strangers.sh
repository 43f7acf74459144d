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
