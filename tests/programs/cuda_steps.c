/* SPDX-License-Identifier: MIT */
/* races: none, one thread */
/*
 * A long run on a device: `steps` steps, of `launches` kernels and `blocks` heap blocks of random
 * sizes each. A block of device memory is there from the beginning to the end; one of each step
 * lives until the step after the next. The device is waited for in each fourth step only.
 *
 * usage: cuda_steps STEPS BLOCKS LAUNCHES
 */
/* build: -fno-builtin -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN/../fake' */
#include <stdint.h>

#include "cuda_client.h"

__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);

#define OLD 3
#define BLOCK_BYTES 4096

static char kernel;

static void allocate(long blocks)
{
	static uint32_t random_state = 1;

	for (long i = 0; i < blocks; i++) {
		random_state = random_state * 1664525u + 1013904223u;
		free(malloc(random_state % 4096 + 1));
	}
}

int main(int argc, char **argv)
{
	long steps = argc > 3 ? atol(argv[1]) : 0, blocks = argc > 3 ? atol(argv[2]) : 0;
	long launches = argc > 3 ? atol(argv[3]) : 0;
	void *old[OLD] = { NULL }, *first;

	EXPECT(steps > 0);
	client_kernel(&kernel, "_Z6a_stepPf");
	OK(cudaMalloc(&first, BLOCK_BYTES));
	for (long step = 0; step < steps; step++) {
		if (nvtxRangePushA)
			nvtxRangePushA("step");
		if (old[step % OLD])
			OK(cudaFree(old[step % OLD]));
		OK(cudaMalloc(&old[step % OLD], BLOCK_BYTES));
		for (long i = 0; i < launches; i++)
			OK(cudaLaunchKernel(&kernel, one, one, NULL, 0, NULL));
		allocate(blocks);
		if (step % 4 == 3)
			OK(cudaDeviceSynchronize());
		if (nvtxRangePop)
			nvtxRangePop();
	}
	OK(cudaDeviceSynchronize());
	return 0;
}
