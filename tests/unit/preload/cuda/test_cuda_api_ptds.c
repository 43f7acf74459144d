/* SPDX-License-Identifier: MIT */
/*
 * preload/cuda/hooks.def against the real headers as programs see them that are compiled for the
 * per-thread default stream: there cudaMemcpy is a name for cudaMemcpy_ptds. At compile time;
 * without the headers skipped, status 77.
 */
#define CUDA_API_PER_THREAD_DEFAULT_STREAM

#include <stdio.h>

#include "tests/unit/cuda_headers.h"

int main(void)
{
#ifdef HAVE_CUDA_13
	return 0;
#else
	puts("no headers of CUDA 13");
	return 77;
#endif
}
