#!/bin/bash
# Clocks of two hosts from kernels of NCCL (over the fake driver): nobody's all_reduce ends before the last rank's has begun.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_program cuda_nccl
need_program warp_recording
KERNELS=3 TAKES=3000000000 # ns each: the ranks are less apart, on a busy machine too; they only wait

pids=()
for rank in 0 1; do
	FAKE_CUDA_KERNELS="AllReduce=$TAKES,*=1000" RANK=$rank WORLD_SIZE=2 INTERCEPT_OUTPUT=$PWD/$rank.evt LD_PRELOAD=$LIB \
		"$PROGRAMS/cuda_nccl" "$PWD/here$rank" "$PWD/here$((1 - rank))" $KERNELS >out.$rank 2>&1 &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || fail "status $?: $(cat out.?)"
done
for rank in 0 1; do
	written $rank.evt
	expect_eq "kernels of rank $rank" "$(json kernels $rank.evt 'sum(r["calls"] for r in rows if "AllReduce" in r["name"])')" $KERNELS
done
expect_eq "one host" "$(json clocks 0.evt '[len(rows), totals["clocks"]]' 1.evt)" '[1, 1]'

# rank 1 on a host whose clock is an hour ahead, and gains 50 us a second
"$PROGRAMS/warp_recording" 1.evt far.evt far 3600000000000 50000 || fail "warp_recording"
"$REPORT" clocks --format json 0.evt far.evt >clocks.json || fail "clocks"
python3 -I -S - $TAKES <<'END' || fail "$(cat clocks.json)"
import json, sys
rows = {row["host"]: row for row in json.load(open("clocks.json"))["rows"]}
far = rows.pop("far")
assert far["basis"] == "collectives" and far["bounds"] >= 3, far
# not wider than what the kernels leave open, and true
assert 0 < far["uncertainty_ns"] <= 1.1 * float(sys.argv[1]), far
assert abs(far["offset_ns"] + 3600e9) <= far["uncertainty_ns"] + 50e-6 * 200e9, far
END
