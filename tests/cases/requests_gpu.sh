#!/bin/bash
# GPU time of requests is that of the kernels that were launched for them: on their own thread, and on one that works for two of them.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_server
run_traced "$PROGRAMS/cuda_server" 2>err || fail "status $?: $(cat err)"
expect_eq "what is said" "$(cat err)" ""
kernel() { # NAME: its GPU time, with the parameters that the demangler shows
	echo "kernels.row(name='$1(float*)').total_ns"
}
expect "$OUTPUT" 'requests.row(endpoint="/alone").requests == 5' 'kernels.row(name="alone(float*)").calls == 10' \
	'kernels.row(name="many(float*)").calls == 7' 'kernels.row(name="shared(float*)").calls == 3' 'kernels.row(name="outside(float*)").calls == 6' \
	"requests.row(endpoint='/alone').gpu_ns == $(kernel alone) > 0" "requests.row(endpoint='/many').gpu_ns == $(kernel many) > 0" \
	"requests.row(endpoint='/left').gpu_ns + requests.row(endpoint='/right').gpu_ns == $(kernel shared) > 0" \
	"abs(requests.row(endpoint='/left').gpu_ns - requests.row(endpoint='/right').gpu_ns) <= 3" \
	"requests.sum('gpu_ns') == kernels.totals.total_ns - $(kernel outside)" 'kernels.totals.lost == 0' 'summary.totals.events_lost == 0'
# the same of single requests
expect "$OUTPUT" "requests('--by', 'request').sum('gpu_ns') == requests.sum('gpu_ns')" \
	"all(row.gpu_ns > 0 for row in requests('--by', 'request').rows)" "len(requests('--by', 'request').rows) == 8"
# what its thread waited in cudaDeviceSynchronize() is a wait for the GPU
expect "$OUTPUT" '0 < requests.row(endpoint="/many").gpu_wait_ns <= requests.row(endpoint="/many").total_ns' \
	"requests('--by', 'request').sum('gpu_wait_ns') == requests.sum('gpu_wait_ns')"
