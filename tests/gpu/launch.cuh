/* SPDX-License-Identifier: MIT */
/*
 * Launches through <<<>>> and by functions of the runtime, counted (tally.cuh), and the kernels. In an
 * object compiled with --default-stream per-thread the same text calls the other set of functions.
 */
#ifndef TESTS_GPU_LAUNCH_CUH
#define TESTS_GPU_LAUNCH_CUH

#include <cuda_runtime.h>

#include "tally.cuh"

/* What reports call it: since CUDA 13 the code that nvcc makes of <<<>>> calls __cudaLaunchKernel(), by a kernel handle. */
#define LAUNCH_FUNCTION_ "cudaLaunchKernel"
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define LAUNCH_FUNCTION LAUNCH_FUNCTION_ "_ptsz"
#define DEFAULT_STREAM "per-thread"
#else
#define LAUNCH_FUNCTION LAUNCH_FUNCTION_
#define DEFAULT_STREAM "default"
#endif

/* LAUNCH(name as compiled, stream's name, kernel, grid, block, shared, stream, arguments...) */
#define LAUNCH(name, where, kernel, grid, block, shared, stream, ...)                          \
	do {                                                                                   \
		kernel<<<grid, block, shared, stream>>>(__VA_ARGS__);                          \
		tally_launch(LAUNCH_FUNCTION, name, launch_shape(grid, block, shared), where,  \
			     (int)cudaPeekAtLastError());                                      \
		cudaGetLastError();                                                            \
	} while (0)

/* The same through a function of the runtime. */
#define LAUNCH_BY(function, name, where, grid, block, shared, ...)                             \
	do {                                                                                   \
		int result_ = (int)function(__VA_ARGS__);                                      \
		tally_launch(TALLY_TEXT(function), name, launch_shape(grid, block, shared),    \
			     where, result_);                                                  \
		cudaGetLastError();                                                            \
	} while (0)

static inline std::string launch_shape(dim3 grid, dim3 block, size_t shared)
{
	std::string text;

	for (size_t number : { (size_t)grid.x, (size_t)grid.y, (size_t)grid.z, (size_t)block.x,
			       (size_t)block.y, (size_t)block.z, shared })
		text += std::to_string(number) + " ";
	text.pop_back();
	return text;
}

#define ELEMENTS 4096
#define BYTES (ELEMENTS * sizeof(int))

/* perthread.cu: `numbers` has room for 64 or more, `host` as well. */
void perthread_calls(int *numbers, const int *host, int rounds);

#endif
