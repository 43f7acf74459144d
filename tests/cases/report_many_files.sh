#!/bin/bash
# A session of 200 files: every number is the sum over the ranks, with 64 descriptors and little memory.
# SPDX-License-Identifier: MIT
. "$ROOT/tests/lib.sh"

need_program rank_files
"$PROGRAMS/rank_files" 200 "$PWD/run" || fail "rank_files failed"
expect_eq "files" "$(printf '%s\n' *.evt | wc -l)" 200

# What tests/programs/rank_files.c has in each rank: 100 steps of 12 blocks of 64 + rank % 4 bytes, the last
# step's 12 stay; one block of 1 MiB; two of 32 bytes on another thread that stay.
sizes=$((50 * (64 + 65 + 66 + 67)))
allocated=$((100 * 12 * sizes + 200 * (1024 * 1024 + 64)))
live=$((12 * sizes + 200 * 64))
ulimit -n 64
expect "$OUTPUT" \
	"summary.totals.processes == 200" "summary.totals.threads == 400" \
	"summary.totals.events == 200 * 4192" \
	"alloc.totals.allocations == 200 * (100 * 12 + 1 + 2)" \
	"alloc.totals.bytes_allocated == $allocated" \
	"alloc.totals.live_bytes == $live" \
	"alloc.totals.frees == 200 * (99 * 12 + 1)" \
	"alloc.totals.peak_bytes >= 10 * 1024 * 1024 + $live - $((200 * 32))" \
	"alloc.totals.peak_bytes < 21 * 1024 * 1024" \
	"nvtx.totals.count == 200 * 100" "len(nvtx.rows) == 1" \
	"nvtx.sum('allocations') == 200 * 100 * 12 + 200" \
	"ops.totals.calls == 200 * 100 * 8" "len(ops.rows) == 90" \
	"len(processes.rows) == 200" "processes.sum('threads') == 400" \
	"len(alloc('--by', 'process').rows) == 200"
expect_sums "$OUTPUT"

# The limit is for 1,000 files (docs/BENCHMARKS.md): a fifth of them, and what there is once.
if [[ -x /usr/bin/time ]] && ! ldd "$REPORT" | grep -q 'lib[at]san'; then
	/usr/bin/time -f %M -o memory "$REPORT" summary "$OUTPUT" >summary.out || fail "summary failed"
	expect_between "KiB of memory" "$(tail -1 memory)" 1000 $((512 * 1024 / 5 + 16 * 1024))
fi
