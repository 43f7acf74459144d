#!/bin/bash
# cuDNN, whose runtime is linked into it, finds no device in the fake CUDA and says so; nothing crashes, bare and recorded.
# SPDX-License-Identifier: MIT
. "${ROOT:-$(dirname "$0")/../..}/tests/lib.sh"

need_cuda_torch eager
export INTERCEPT_TRACE=-alloc # the millions of allocations of an import would cost more than all that is tested here
fake=$BUILD/fake
preload="$fake/libcudart.so.13:$fake/libcuda.so.1:$fake/libcublas.so.13:$fake/libcublasLt.so.13:$fake/libcupti.so.13"

cat >conv.py <<'END_OF_PROGRAM'
import torch

network = torch.nn.Conv2d(1, 16, 3, padding=1).cuda()
images = torch.rand(32, 1, 8, 8).cuda()
print("cuDNN", torch.backends.cudnn.is_available())
for attempt in range(2):
    try:
        print(network(images).shape)
    except RuntimeError as error:
        print(str(error).splitlines()[0])
torch.backends.cudnn.enabled = False
print(network(images).shape)
END_OF_PROGRAM

LD_PRELOAD=$preload "$PYTHON" conv.py >bare.out || fail "bare: exit status $?"
grep -qx "cuDNN True" bare.out || skip "this PyTorch has no cuDNN"
INTERCEPT_OUTPUT=$OUTPUT LD_PRELOAD=$LIB:$preload "$PYTHON" conv.py >traced.out || fail "recorded: exit status $?"
cmp bare.out traced.out || fail "it prints otherwise"
expect_eq "what cuDNN finds" "$(grep -c 'CUDNN_STATUS_NOT_INITIALIZED' bare.out)" 2
expect_eq "without cuDNN" "$(tail -n 1 bare.out)" "torch.Size([32, 16, 8, 8])"
# the library is left in order: PyTorch's own kernels are recorded
expect "$OUTPUT" 'summary.totals.events_lost == 0' 'launches.totals.calls > 0' 'kernels.totals.without_call == 0'
