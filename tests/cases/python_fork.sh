#!/bin/bash
# os.fork() and multiprocessing under Python 3.9 and newer: no warning, and every worker is in the file.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >script.py <<'END'
import multiprocessing, os, sys
def work(k):
    return len([bytearray(1000) for _ in range(100)]) + k
if __name__ == "__main__":
    pid = os.fork()
    if pid == 0:
        os._exit(11)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    try:
        os.wait()
    except ChildProcessError:
        print("no child")
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(work, range(8)))
            pool.close()
            pool.join()
END
found=0
for python in "${PYTHONS[@]}"; do
	"$python" -c 'import sys; sys.exit(sys.version_info[:2] < (3, 9))' 2>/dev/null || continue
	found=$((found + 1))
	rm -f ./*.evt
	# multiprocessing has threads of its own when it forks; os.fork() before it has none
	same_as_bare "$python" -W error::DeprecationWarning:__main__ script.py
	expect "$OUTPUT" 'len(processes.select(exit_status=11)) == 1' \
		'len([r for r in processes.rows if r.parent_pid == processes.rows[0].pid]) >= 3' \
		'summary.totals.events_lost == 0'
	# fork, 2 fork workers, then spawn: 2 workers and their resource tracker, by exec (before 3.10 a row more each: they fork first)
	expect_between "processes" "$(json processes "$OUTPUT" 'len({row["pid"] for row in rows})')" 6 7
	expect_sums "$OUTPUT"
done
((found > 0)) || skip "no Python 3.9 or newer is installed"
