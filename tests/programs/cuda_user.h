/* SPDX-License-Identifier: MIT */
/*
 * A library that uses CUDA, of which there are two: for libcudart.so.12 and for libcudart.so.13.
 */
#include "cuda_client.h"

void cuda_user_run(unsigned int times);
__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);

static char kernel;

void cuda_user_run(unsigned int times)
{
	cudaStream_t stream;
	void *block;

	client_kernel(&kernel, CUDA_USER_KERNEL);
	OK(cudaStreamCreate(&stream));
	for (unsigned int i = 0; i < times; i++) {
		if (nvtxRangePushA)
			nvtxRangePushA("step");
		OK(cudaMalloc(&block, 100));
		OK(cudaMemset(block, 1, 100));
		OK(cudaLaunchKernel(&kernel, one, one, NULL, 0, stream));
		OK(cudaFree(block));
		OK(cudaDeviceSynchronize());
		if (nvtxRangePop)
			nvtxRangePop();
	}
	OK(cudaStreamDestroy(stream));
}
