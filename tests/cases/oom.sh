#!/bin/bash
# stuck and the summary say that the kernel's OOM killer was at work when a process died, and that it was not: in a cgroup of our own.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >dies.py <<'END'
import os
import signal
import sys
import time

while not os.path.exists("go"):
    time.sleep(.02)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
kept = []
while True:
    kept.append(b"x" * (1 << 20))
END
# shellcheck disable=SC2317 # called by eventually
looked() { # the collector has read what the kernel counts for it
	"$REPORT" dump --live "$OUTPUT" 2>/dev/null | grep -q 'process_usage process=1 '
}
dies() { # HOW: starts it; its pid is $pid
	rm -f go "$OUTPUT"
	INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB python3 dies.py "$1" >out 2>&1 &
	pid=$!
}
ends() {
	eventually "a first look ($(cat out))" looked
	touch go
	wait "$pid"
	expect_eq "status" $? 137
	written "$OUTPUT"
	"$REPORT" stuck "$OUTPUT" | tr '\n' ' ' >shown
}

# something else kills it; others may be killed on the machine meanwhile
dies kill
ends
kills=$("$REPORT" dump "$OUTPUT" | sed -n 's/.*process_end process=1 exit_status=137 .* oom_kills=\([0-9]*\).*/\1/p')
case $kills in
0) ! grep "OOM" shown || fail "nothing is known" ;;
1) grep -q "The kernel's OOM killer ended no process " shown || fail "$(cat shown)" ;;
[0-9]*) ;;
*) fail "process_end has no counts: $("$REPORT" dump "$OUTPUT" | grep process_end)" ;;
esac
if [[ $kills -lt 2 ]]; then
	! "$REPORT" summary "$OUTPUT" | grep "OOM killer" || fail "the first screen says what did not happen"
fi

# the OOM killer, in a group of our own; the collector leaves it, or it may be killed as well
group_of() { # FOLDER FILE: makes the group, with a limit in FILE
	mkdir "$1" && echo 150M >"$1/$2" && [[ -w $1/cgroup.procs ]]
}
group='' own=$(sed -n 's/^0:://p' /proc/self/cgroup)
own1=$(sed -n 's/^[0-9]*:\([^:]*,\)*memory\(,[^:]*\)*://p' /proc/self/cgroup)
for at in "/sys/fs/cgroup/memory$own1 memory.limit_in_bytes" "/sys/fs/cgroup/memory memory.limit_in_bytes" \
	"/sys/fs/cgroup$own memory.max" "/sys/fs/cgroup memory.max"; do
	group=${at% *}/intercept-oom.$$
	group_of "$group" "${at#* }" 2>/dev/null && break
	rmdir "$group" 2>/dev/null
	group=
done
if [[ ! $group ]]; then
	skip "no cgroup of our own: only the end without the OOM killer was tried"
fi
trap 'kill -9 $pid 2>/dev/null; wait; rmdir "$group" 2>/dev/null' EXIT
echo $BASHPID >"$group/cgroup.procs" || fail "cannot enter $group"
dies eat
for process in $BASHPID $(collector_of "$OUTPUT"); do
	echo "$process" >"${group%/*}/cgroup.procs" || fail "process $process cannot leave $group"
done
ends
if ! "$REPORT" dump "$OUTPUT" | grep -q 'process_end process=1 exit_status=137 .* oom_kills=[2-9]'; then
	skip "its end was not recorded with a count: $("$REPORT" dump "$OUTPUT" | grep 'process_end process=1')"
fi
expect_match "stuck" "$(cat shown)" "killed by SIGKILL\. The kernel's OOM killer ended 1 process of its memory cgroup in the last .* of its life\. The most resident memory seen of it is .*; its limit is 150 MiB\."
"$REPORT" summary "$OUTPUT" | tr '\n' ' ' | grep -q "killed by SIGKILL\. The kernel's OOM killer ended 1 process of its memory cgroup" ||
	fail "$("$REPORT" summary "$OUTPUT" | head)"
