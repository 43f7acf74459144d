# SPDX-License-Identifier: MIT
# The GPU's power limit holds its clock down from the fourth second on.
# gpu: gemm=40000000,matmul=40000000,*=20000
# nvml: throttles
# first: throttled
from gpu_training import train

train()
