#!/bin/bash
# A GPU that its power limit holds down while it works: that is the first advice. Low clocks of a GPU that has nothing to do are none.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 240
need_cuda_torch eager
# shellcheck source=tests/truth/fake_gpu.sh
. "$ROOT/tests/truth/fake_gpu.sh"
export PYTHONPATH=$ROOT/tests/truth:$PYTHONPATH INTERCEPT_TRACE=-alloc,-tensors,-imports
for name in gpu_throttled gpu_good_idle_clocks; do
	program=$ROOT/tests/truth/programs/$name.py
	folder=$(fake_nvml "$program" "$BUILD")
	mapfile -t gpu < <(fake_gpu "$program" "$folder")
	env "${gpu[@]:1}" INTERCEPT_OUTPUT="$PWD/$name.evt" LD_PRELOAD="$LIB:${gpu[0]#*=}" "$PYTHON" "$program" >out 2>&1 || fail "$name: $(cat out)"
	rm -r "$folder"
	python3 -S "$ROOT/tests/truth/judge.py" --live "$REPORT" "$name.evt" "$program" || fail "$name"
done
text=$(json bottleneck "$PWD/gpu_throttled.evt" 'rows[0]["id"] + ": " + rows[0]["text"]')
expect_match "the advice" "$text" '^throttled: power held the clock of the GPU Fake H100 down for .* to 1215 MHz in the median, of 1980 MHz, 39 % less'
"$REPORT" gpu_throttled.evt >out
expect_match "the first screen" "$(tr -s '\n ' '  ' <out)" 'throttled for [0-9.]* % of its busy time \(power limit\)'
