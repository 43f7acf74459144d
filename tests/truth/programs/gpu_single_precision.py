# SPDX-License-Identifier: MIT
# Matrix products in single precision, on a GPU that has tensor cores.
# gpu: sgemm=1000000,*=20000 FAKE_CUDA_GEMM=ampere_sgemm_128x64_tn
# first: no_tensor_cores
from gpu_training import train

train()
