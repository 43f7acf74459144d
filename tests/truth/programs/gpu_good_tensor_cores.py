# SPDX-License-Identifier: MIT
# Matrix products in bfloat16, by autocast.
# gpu: gemm=1000000,matmul=1000000,*=20000 FAKE_CUDA_GEMM=ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn
# first: none
import torch
from gpu_training import train

with torch.autocast("cuda", torch.bfloat16):
    train()
