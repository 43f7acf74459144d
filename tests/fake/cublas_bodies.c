/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcublas: what gives a handle or a mode back.
 */
#include "tests/fake/device.h"
#include "tests/fake/entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define PLAIN(name)
#define MORE(name, parameters, arguments) int do_##name parameters;
#include "tests/fake/cublas.def"

int do_cublasCreate_v2(void **handle)
{
	return fake_object_create(handle);
}

int do_cublasXtCreate(void **handle)
{
	return fake_object_create(handle);
}

int do_cublasGetStream_v2(void *handle, void **stream)
{
	*stream = NULL;
	return 0;
}

int do_cublasGetPointerMode_v2(void *handle, int *mode)
{
	*mode = 0;
	return 0;
}

int do_cublasGetMathMode(void *handle, int *mode)
{
	*mode = 0;
	return 0;
}

/* Its kernels are launched by functions of its own: only CUPTI sees them. */
#define PRODUCT(name)                                                           \
	int do_##name(void);                                                    \
	int do_##name(void)                                                     \
	{                                                                       \
		fake_hidden_launch(fake_gemm("_Z12fake_gemm_64PKfS0_Pfi"), 64); \
		return 0;                                                       \
	}
PRODUCT(cublasSgemm_v2)
PRODUCT(cublasSgemmEx)
PRODUCT(cublasGemmEx)
PRODUCT(cublasGemmStridedBatchedEx)
PRODUCT(cublasSgemmStridedBatched_64)
