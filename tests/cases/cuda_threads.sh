#!/bin/bash
# CUDA calls of all sorts on threads and streams: every function, kernel, kind of copy and of memory is exact.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_threads
export FAKE_CUDA_COUNTS=$PWD/counts.json
run_traced "$PROGRAMS/cuda_threads" 1 20 || fail "status $?"
same_as_fake --peak "$OUTPUT" counts.json

rm run.evt
run_traced "$PROGRAMS/cuda_threads" 8 100 || fail "status $?"
same_as_fake "$OUTPUT" counts.json
expect "$OUTPUT" 'summary.totals.events_lost == 0' 'api.totals.calls == api.sum("calls")' \
	'launches.totals.calls == 8 * 100 * 11' 'launches.totals.errors == 8 * 100 * 2' \
	'launches("--by", "thread").sum("calls") == launches.totals.calls' \
	'len(launches("--by", "thread").rows) == 8' \
	'launches("--by", "stream").sum("calls") == launches.totals.calls' \
	'len(launches("--by", "stream").select(stream="per-thread")) == 8' \
	'sum(row.calls for row in launches("--by", "stream").select(stream="per-thread")) == 8 * 100 * 3' \
	'memcpy("--by", "function").sum("bytes") == memcpy.totals.bytes' \
	'memcpy.sum("bytes") == memcpy.totals.bytes' \
	'launches("--names", "short").row(kernel="second").calls == 8 * 100 * 3' \
	'device_memory.totals.live_bytes == 4096'
# A call that CUDA makes itself is in the file, marked, and counts for nothing.
"$REPORT" dump "$OUTPUT" | grep -E 'function="(cudaHostAlloc|cuCtxSynchronize|cudaLaunchKernel)" .*flags=1 ' |
	sed 's/.*function="\([^"]*\).*/\1/' | sort | uniq -c | tr -s ' \n' ' ' >nested.txt
expect_match "nested calls" "$(cat nested.txt)" '800 cuCtxSynchronize 800 cudaHostAlloc 800 cudaLaunchKernel'
expect_sums "$OUTPUT"
"$REPORT" check "$OUTPUT" >check.out || fail "check: $(cat check.out)"
