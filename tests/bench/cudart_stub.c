/* SPDX-License-Identifier: MIT */
/*
 * A libcudart.so.13 that does next to nothing, so that what a call costs over it is the recording's
 * alone: the fake of tests/fake counts and locks. Addresses only differ from each other, nothing is
 * there.
 */
#include "tests/bench/cudart.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define BLOCK_STEP 512u
#define BLOCK_BITS 30u /* of a thread's space of addresses */
#define SPACE_FIRST 0x700000000000u

static __thread uint64_t blocks __attribute__((tls_model("initial-exec")));

int cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
		     cudaStream_t stream)
{
	return 0;
}

int cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
		    cudaStream_t stream)
{
	return 0;
}

int cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return 0;
}

/* A thread's space goes by where its thread-local data lie. */
int cudaMalloc(void **devPtr, size_t size)
{
	uintptr_t space = ((uintptr_t)&blocks >> 12 & 255) << BLOCK_BITS;
	uintptr_t block = blocks++ * BLOCK_STEP & ((1u << BLOCK_BITS) - 1);

	*devPtr = (void *)(SPACE_FIRST + space + block);
	return 0;
}

int cudaFree(void *devPtr)
{
	return 0;
}

int cudaGetDevice(int *device)
{
	*device = 0;
	return 0;
}

void **__cudaRegisterFatBinary(void *fatCubin)
{
	return fatCubin;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
			    const char *deviceName, int thread_limit, void *tid, void *bid,
			    void *bDim, void *gDim, int *wSize)
{
}
