#!/bin/bash
# A library of 300 MB and more (libtorch_cpu.so) takes at most 300 MB of memory the first time, and is not opened the second time.
# SPDX-License-Identifier: MIT
# timeout: 300
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_torch eager
need_tool python3
export PROF_REPORT_CACHE=$PWD/cache
run_traced "$PYTHON" -c 'import torch; x = torch.ones(100, 100); [x + x for _ in range(100)]' >out 2>err || fail "torch: $(cat err)"
peak() { # of prof-report, in KiB; its output is in out
	python3 -c 'import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=open("out", "w"), stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss if done.returncode == 0 else -1)' "$@"
}

none=$(peak "$REPORT" alloc --by module --symbols off --format csv "$OUTPUT")
grep -q '^libtorch_cpu.so,' out || fail "no allocations of libtorch_cpu.so: $(head -5 out)"
first=$(peak "$REPORT" alloc --limit 0 --filter module=libtorch_cpu.so --format csv --columns function,allocations "$OUTPUT")
cp out first
second=$(peak "$REPORT" alloc --limit 0 --filter module=libtorch_cpu.so --format csv --columns function,allocations "$OUTPUT")
grep -q '::' first || fail "no functions: $(head -5 first)"
cmp first out || fail "the second time the names are others"
((none > 0 && first - none <= 300 * 1024)) || fail "the first time takes $first KiB, without names $none KiB"
((second < first)) || fail "the second time takes $second KiB, the first time $first KiB"
echo "KiB: without names $none, first time $first, second time $second"
