/* SPDX-License-Identifier: MIT */
/* races: none, one thread */
/*
 * One of two ranks that "communicate": KERNELS kernels with the name of an all_reduce of NCCL and
 * as many with that of a broadcast, which says nothing of clocks. The first is launched when both
 * ranks are there: this one makes the file MINE and waits for the file OTHER. With
 * FAKE_CUDA_KERNELS each kernel takes longer than the ranks are apart, so none ends before the
 * other rank's has begun.
 *
 * usage: cuda_nccl MINE OTHER KERNELS
 */
/* build: -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN/../fake' */
#include <fcntl.h>
#include <time.h>

#include "cuda_client.h"

static char all_reduce, broadcast;

static void meet(const char *mine, const char *other)
{
	const struct timespec pause = { 0, 1000000 };

	close(open(mine, O_CREAT | O_WRONLY, 0600));
	while (access(other, F_OK))
		nanosleep(&pause, NULL);
}

int main(int argc, char **argv)
{
	int kernels = argc > 3 ? atoi(argv[3]) : 0;

	client_kernel(&all_reduce,
		      "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
	client_kernel(&broadcast,
		      "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
	OK(cudaFree(NULL)); /* the driver's start */
	meet(argv[1], argv[2]);
	for (int i = 0; i < kernels; i++) {
		OK(cudaLaunchKernel(&all_reduce, one, one, NULL, 0, NULL));
		OK(cudaLaunchKernel(&broadcast, one, one, NULL, 0, NULL));
	}
	OK(cudaDeviceSynchronize());
	return 0;
}
