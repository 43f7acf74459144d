#!/bin/bash
# A profiler that opens a libcupti of its own (Triton's Proton) gets what it gets alone, and we what we get alone.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

# timeout: 200
need_program cuda_opener
fake=$BUILD/fake
mkdir own
cp "$fake/libcupti.so.12" own/libcupti.so && cp "$fake/libfakecuda.so" own/
export LD_LIBRARY_PATH=$fake INTERCEPT_GPU_WAITS=records

same() { # our tables are the device's own
	python3 -S "$ROOT/tests/fake/compare_gpu.py" "$REPORT" "$OUTPUT" counts.json >compare.out ||
		fail "line ${BASH_LINENO[0]}: $(cat compare.out)"
	expect "$OUTPUT" 'kernels.totals.lost == 0' 'kernels.totals.without_call == 0' 'summary.totals.events_lost == 0'
}

# the only one in the process; a second one; before CUDA starts
for beside in '' "$fake/libcupti.so.13"; do
	for when in '' early; do
		rm -f ./*.evt*
		# shellcheck disable=SC2086 # no argument is no argument
		LD_PRELOAD=$beside "$PROGRAMS/cuda_opener" "$PWD/own/libcupti.so" $when >bare.out || fail "alone: status $?"
		# shellcheck disable=SC2086
		FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD="$LIB $beside" \
			"$PROGRAMS/cuda_opener" "$PWD/own/libcupti.so" $when >traced.out 2>traced.err ||
			fail "'$beside' '$when': status $?: $(cat traced.err)"
		cmp bare.out traced.out || fail "'$beside' '$when': $(diff bare.out traced.out)"
		expect_eq "'$beside' '$when': what is said" "$(cat traced.err)" ""
		same
		"$REPORT" kernels "$OUTPUT" >table.out 2>&1
		expect_match "'$beside' '$when': shared" "$(cat table.out)" 'another profiler used CUPTI at the same time'
		[[ ! $beside ]] || expect_match "'$when': a copy" "$(tr -s '\n ' ' ' <table.out)" 'opened a libcupti of its own .*own/libcupti.so'
	done
done

# nothing of the GPU is recorded: its copy is its own
rm -f ./*.evt*
FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_TRACE=-gpu INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD="$LIB $fake/libcupti.so.13" \
	"$PROGRAMS/cuda_opener" "$PWD/own/libcupti.so" >traced.out || fail "off: status $?"
LD_PRELOAD=$fake/libcupti.so.13 "$PROGRAMS/cuda_opener" "$PWD/own/libcupti.so" >bare.out
cmp bare.out traced.out || fail "off: $(diff bare.out traced.out)"

# Proton itself, on PyTorch
need_torch eager
without_heap
unset LD_LIBRARY_PATH
cat >proton.py <<'END'
import torch
from triton._C.libproton import proton

x = torch.ones(1000, device="cuda")
proton.start("out", "shadow", "tree", "cupti", "")
for _ in range(10):
    x = x + 1
torch.cuda.synchronize()
proton.finalize_all("hatchet")
END
preload="$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13"
export TRITON_CUPTI_LIB_PATH=$PWD/own
"$PYTHON" -c 'import triton._C.libproton' 2>/dev/null || skip "the PyTorch of '$PYTHON' has no Proton"
LD_PRELOAD=$preload "$PYTHON" proton.py 2>err || fail "Proton alone: $(tail -n 3 err)"
mv out.hatchet bare.hatchet
grep -q '"count": 10' bare.hatchet || fail "Proton alone saw: $(cat bare.hatchet)"
rm -f ./*.evt*
FAKE_CUDA_COUNTS=$PWD/counts.json INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$preload "$PYTHON" proton.py 2>err ||
	fail "Proton: $(tail -n 3 err)"
cmp bare.hatchet out.hatchet || fail "Proton: $(diff bare.hatchet out.hatchet)"
same
exit 0
