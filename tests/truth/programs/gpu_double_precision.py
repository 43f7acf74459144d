# SPDX-License-Identifier: MIT
# Matrix products in double precision.
# gpu: dgemm=2000000,*=20000 FAKE_CUDA_GEMM=ampere_dgemm_64x64_tn
# first: double_precision
# also: no_tensor_cores
from gpu_training import batch, model, train

inputs, labels = batch()
train(net=model().double(), data=(inputs.double(), labels))
