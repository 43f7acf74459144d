# SPDX-License-Identifier: MIT
# Batches are copied from pageable memory, which holds the host up.
# gpu: gemm=200000,matmul=200000,[copy]=5000000,*=5000
# first: pageable_copies
from gpu_training import DEVICE, host_batch, train

data = host_batch(pinned=False)


def before(number):
    return tuple(part.to(DEVICE, non_blocking=True) for part in data)


train(before=before)
