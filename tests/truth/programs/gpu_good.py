# SPDX-License-Identifier: MIT
# The GPU is busy, and the host is ahead of it.
# gpu: gemm=1000000,matmul=1000000,*=20000
# first: none
from gpu_training import train

train()
