/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the fake libcublasLt: what gives a handle back, and the one algorithm that there is.
 */
#include "tests/fake/device.h"
#include "tests/fake/entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define PLAIN(name)
#define HAND(returns, name, parameters)
#define MORE(name, parameters, arguments) int do_##name parameters;
#include "tests/fake/cublaslt.def"

int do_cublasLtCreate(void **handle)
{
	return fake_object_create(handle);
}

int do_cublasLtMatmulDescCreate(void **desc)
{
	return fake_object_create(desc);
}

int do_cublasLtMatrixLayoutCreate(void **layout)
{
	return fake_object_create(layout);
}

int do_cublasLtMatmulPreferenceCreate(void **preference)
{
	return fake_object_create(preference);
}

int do_cublasLtMatrixTransformDescCreate(void **desc)
{
	return fake_object_create(desc);
}

#define FREES(name)                              \
	int do_##name(void *object)              \
	{                                        \
		return fake_object_free(object); \
	}
FREES(cublasLtDestroy)
FREES(cublasLtMatmulDescDestroy)
FREES(cublasLtMatrixLayoutDestroy)
FREES(cublasLtMatmulPreferenceDestroy)
FREES(cublasLtMatrixTransformDescDestroy)

int do_cublasLtMatmulAlgoGetHeuristic(void *handle, void *desc, void *a, void *b, void *c, void *d,
				      void *preference, int asked, void *results, int *returned)
{
	*returned = asked > 0;
	return 0;
}

/* Its kernel is launched by functions of its own: only CUPTI sees it. */
int do_cublasLtMatmul(void);
int do_cublasLtMatmul(void)
{
	fake_hidden_launch(fake_gemm("_Z14fake_lt_matmulPKfS0_Pf"), 128);
	return 0;
}
