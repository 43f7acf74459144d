/* SPDX-License-Identifier: MIT */
/* races: cuda_steady 1 2 */
/*
 * Keeps devices busy for a time: launches on each of the first DEVICES devices, in turn, until the
 * file STOP exists, or for SECONDS where it is a number.
 *
 * usage: cuda_steady DEVICES STOP|SECONDS
 */
/* build: -L$O/fake -l:libcudart.so.13 -l:libcuda.so.1 -Wl,--no-as-needed -Wl,-rpath,'$ORIGIN/../fake' */
#include <time.h>

#include "cuda_client.h"

#define PAUSE_NS 20000000

static char kernel;

static bool is_over(const char *until, int rounds)
{
	int seconds = atoi(until);

	if (seconds)
		return rounds >= seconds * (1000000000 / PAUSE_NS);
	return !access(until, F_OK);
}

int main(int argc, char **argv)
{
	int devices = argc > 2 ? atoi(argv[1]) : 0;

	EXPECT(devices > 0);
	client_kernel(&kernel, "_Z6steadyPf");
	for (int rounds = 0; !is_over(argv[2], rounds); rounds++) {
		for (int device = 0; device < devices; device++) {
			OK(cudaSetDevice(device));
			OK(cudaLaunchKernel(&kernel, one, one, NULL, 0, NULL));
		}
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
	}
	OK(cudaDeviceSynchronize());
	return 0;
}
