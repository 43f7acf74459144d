#!/bin/bash
# Every Python 3.8 to 3.14 on the machine starts under us and runs a small script with the same output.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

cat >script.py <<'END'
import json, sys, threading
def work(out, k):
    out.append(sum(len(json.dumps({"a": list(range(i % 50))})) for i in range(2000)) + k)
out = []
threads = [threading.Thread(target=work, args=(out, k)) for k in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(sys.version_info[:3], sorted(out))
sys.exit(3)
END
found=0
for python in "${ALL_PYTHONS[@]}"; do
	"$python" -c 'import sys; sys.exit(not (3, 8) <= sys.version_info[:2] <= (3, 14))' 2>/dev/null || continue
	found=$((found + 1))
	rm -f ./*.evt
	same_as_bare "$python" -W error script.py
	expect_eq "exit status" "$status" 3
	expect "$OUTPUT" 'len(processes.rows) == 1' 'processes.rows[0].exit_status == 3' \
		'len(threads.rows) == 5' 'alloc.totals.allocations > 1000' 'summary.totals.events_lost == 0'
done
((found > 0)) || skip "no Python 3.8 to 3.14 is installed"
