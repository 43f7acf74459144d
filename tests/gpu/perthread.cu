/* SPDX-License-Identifier: MIT */
/*
 * The part of counts.cu that is compiled with --default-stream per-thread: stream 0 is the calling
 * thread's own, and the functions are those with _ptsz and _ptds.
 */
#include "launch.cuh"

extern "C" __global__ void add_here(int *numbers, int value)
{
	numbers[threadIdx.x] += value;
}

void perthread_calls(int *numbers, const int *host, int rounds)
{
	int value = 1;
	void *arguments[] = { &numbers, &value };
	void *memory = NULL;

	for (int i = 0; i < rounds; i++) {
		LAUNCH("add_here", "per-thread", add_here, 1, 64, 0, 0, numbers, 1);
		LAUNCH_BY(cudaLaunchKernel, "add_here", "per-thread", 1, 32, 0,
			  (const void *)add_here, dim3(1), dim3(32), arguments, 0, 0);
	}
	LAUNCH("add_here", "default", add_here, 1, 16, 0, cudaStreamLegacy, numbers, 1);
	LAUNCH("add_here", "per-thread", add_here, 1, 16, 0, cudaStreamPerThread, numbers, 1);
	COPY("HtoD", 256, cudaMemcpy, numbers, host, 256, cudaMemcpyHostToDevice);
	COPY("HtoD", 128, cudaMemcpyAsync, numbers, host, 128, cudaMemcpyHostToDevice, 0);
	COPY("memset", 64, cudaMemset, numbers, 0, 64);
	COPY("memset", 32, cudaMemsetAsync, numbers, 0, 32, 0);
	ALLOCATE("pool", 5000, cudaMallocAsync, &memory, 5000, (cudaStream_t)0);
	RELEASE("pool", 5000, cudaFreeAsync, memory, (cudaStream_t)0);
	CALL(cudaStreamQuery, 0);
	CALL(cudaStreamSynchronize, 0);
	cudaGetLastError();
}
