#!/bin/bash
# In a pid namespace as process 1, as in a container: the file is complete when the namespace ends.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program processes
need_tool unshare
unshare -pf --mount-proc true 2>/dev/null || skip "may not make a pid namespace (root needed)"
cat >inner.sh <<'END'
INTERCEPT_OUTPUT=$1 LD_PRELOAD=$LIB exec "$PROGRAMS/processes" tree 5
END
unshare -pf --mount-proc bash inner.sh "$OUTPUT" || fail "status $?"
expect "$OUTPUT" 'sized(5001) == 11 * 40' 'len(processes.rows) == 11' \
	'processes.row(pid=1).exit_status == 0' 'summary.totals.events_lost == 0'
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
# Without a /proc of its own the pids there mean others than ours do.
rm -f run.evt
unshare -pf bash inner.sh "$OUTPUT" || fail "without its /proc: status $?"
# What /proc has under their numbers is nobody of ours: no name of it, no sign that one of them has gone.
expect "$OUTPUT" 'sized(5001) == 11 * 40' 'len(processes.rows) == 11' \
	'all("programs/processes" in (row.command or "") for row in processes.rows)' \
	'processes.row(pid=1).exit_status == 0' 'summary.totals.events_lost == 0'
"$REPORT" check "$OUTPUT" >check.out || fail "without its /proc: check: $(cat check.out)"
