# SPDX-License-Identifier: MIT
# The GPU's clocks are low because the driver says that it has nothing to do: that is no throttling.
# gpu: gemm=20000000,matmul=20000000,*=20000
# nvml: idle
# first: none
from gpu_training import train

train()
