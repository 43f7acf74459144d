# SPDX-License-Identifier: MIT
# The batch is normalised on the CPU, by operators of some milliseconds, and the GPU waits for it.
# gpu: gemm=300000,matmul=300000,*=5000
# first: host_operators
# line: gpu_host_operators.py:14
import torch
from gpu_training import DEVICE, train

images = torch.rand(32, 3, 256, 256)
labels = torch.randint(0, 8, (256,)).pin_memory()


def before(number):
    rows = (images - images.mean()) / images.std()
    rows = rows.clamp(-2, 2).flatten()[: 256 * 256].view(256, 256).pin_memory()
    return rows.to(DEVICE, non_blocking=True), labels.to(DEVICE, non_blocking=True)


train(before=before)
