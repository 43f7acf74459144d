/* SPDX-License-Identifier: MIT */
/*
 * The functions of libcudart that cuda.c calls and cudart_stub.c has. Those that are hooked are
 * declared by their lines in hooks.def.
 */
#ifndef TESTS_BENCH_CUDART_H
#define TESTS_BENCH_CUDART_H

#include "preload/cuda/cuda_api.h"

#define CUDA(library, since, per_thread, name, parameters, ...) int name parameters;
#define CUDA_OWN(library, returns, name, parameters, arguments) returns name parameters;
#include "preload/cuda/hooks.def"
int cudaGetDevice(int *device);
void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **fatCubinHandle);

#endif
