#!/bin/bash
# Functions of the driver got by name (cuGetProcAddress, cudaGetDriverEntryPoint): seen, with the kernels' names.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_driver
export FAKE_CUDA_COUNTS=$PWD/counts.json FAKE_CUDA_DEVICES=2
FAKE_CUDA_COUNTS=$PWD/bare.json "$PROGRAMS/cuda_driver" || fail "without intercept: status $?"
run_traced "$PROGRAMS/cuda_driver" || fail "status $?"
cmp <(sed -n 2,3p bare.json) <(sed -n 2,3p counts.json) || fail "the fake counted otherwise without intercept"
same_as_fake --peak "$OUTPUT" counts.json
expect "$OUTPUT" 'launches.row(kernel="built_at_run_time").calls == 22' 'launches.row(kernel="of_a_library").calls == 14' \
	'launches.totals.errors == 2' 'api.row(name="cuMemAlloc_v2").calls == 4' \
	'api.row(name="cuLaunchKernel_ptsz").calls == 12' 'api.row(name="cuInit").calls == 1' \
	'api.row(name="cuMemsetD8Async_ptsz").calls == 5' 'api.row(name="cuMemsetD8Async").calls == 1' \
	'api.row(name="cuLaunchHostFunc").calls == 1' \
	'memcpy.row(kind="HtoD").bytes == 192' 'memcpy.row(kind="memset").bytes == 33' \
	'device_memory.row(kind="virtual", device=0).peak_bytes == 2 << 20' \
	'device_memory.row(kind="virtual", device=1).peak_bytes == 1 << 20' 'summary.totals.events_lost == 0'
