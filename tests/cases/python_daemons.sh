#!/bin/bash
# CPython 3.10 with daemon threads at its end is not held up, since such a thread crashes when it takes the GIL of an interpreter that is gone; others are.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >script.py <<'END'
import sys, threading, time
if sys.argv[1] == "daemon":
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
open("ready", "w").close()
input()
sys.exit(3)
END
threads_are_seen() { # FILE COUNT
	(($("$REPORT" lines --by thread --limit 0 --format csv "$1" 2>/dev/null | tail -n +2 | wc -l) >= $2))
}
# An end that waits for a collector which stands still says so; one that does not wait knows nothing of it.
ends() { # PYTHON WHAT THREADS: how many are sampled; 0: nothing is
	rm -f go ready ./*.evt*
	mkfifo go
	INTERCEPT_SAMPLE=$(($3 ? 200 : 0)) run_traced "$1" script.py "$2" <go >out 2>err &
	local pid=$! collector status
	exec 3>go
	eventually "ready" test -e ready
	eventually "$3 sampled threads in $OUTPUT" threads_are_seen "$OUTPUT" "$3"
	collector=$(collector_of "$OUTPUT") || fail "no process has the file open"
	kill -STOP "$collector"
	echo >&3
	wait $pid
	status=$?
	kill -CONT "$collector"
	exec 3>&-
	expect_eq "exit status of $*" $status 3
	"$REPORT" check --wait 60 "$OUTPUT" >check.txt || fail "$*: check: $(cat check.txt)"
	expect "$OUTPUT" 'summary.totals.events_lost == 0' 'processes.rows[0].exit_status == 3'
}

old=${PYTHON_OF[3.10]:-}
[[ $old ]] || skip "no Python 3.10 is installed"
ends "$old" daemon 2
expect_eq "what 3.10 with a daemon thread has to say" "$(cat err)" ""
ends "$old" alone 1
[[ -s err ]] || fail "3.10 without daemon threads did not wait for its collector"
ends "$old" daemon 0
expect_eq "what 3.10 with a daemon thread has to say that is not sampled" "$(cat err)" ""
ends "$old" alone 0
[[ -s err ]] || fail "3.10 without daemon threads, not sampled, did not wait for its collector"
for minor in 8 9 11 12 13; do
	other=${PYTHON_OF[3.$minor]:-}
	[[ $other ]] || continue
	ends "$other" daemon 2
	[[ -s err ]] || fail "3.$minor did not wait for its collector"
	break
done
