# SPDX-License-Identifier: MIT
# The caching allocator gives everything back in each step, and asks for it anew.
# gpu: gemm=500000,matmul=500000,*=5000 FAKE_CUDA_DELAY=cudaMalloc=2000000,cudaFree=2000000
# first: device_allocations
import torch
from gpu_training import train

train(after=lambda number, loss: torch.cuda.empty_cache())
