/* SPDX-License-Identifier: MIT */
/*
 * usage: launch_cost BATCHES
 * What a launch costs the host: an empty kernel, back to back, in batches that are short enough not
 * to wait for room in the GPU's queue. Prints as JSON the number of launches and the nanoseconds a
 * launch took in the median batch; 0 batches launch nothing.
 */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BATCH 500

__global__ void empty(void)
{
}

static double run_batch(void)
{
	auto start = std::chrono::steady_clock::now();

	for (int i = 0; i < BATCH; i++)
		empty<<<1, 1>>>();
	std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
	return taken.count() / BATCH;
}

int main(int argc, char **argv)
{
	int batches = argc > 1 ? atoi(argv[1]) : 200;
	std::vector<double> times(1, 0);

	cudaFree(0);
	for (int i = 0; i < batches; i++) {
		times.push_back(run_batch());
		if (cudaDeviceSynchronize() != cudaSuccess)
			return 1;
	}
	std::sort(times.begin(), times.end());
	printf("{\"launches\": %d, \"ns\": %.1f}\n", batches * BATCH, times[times.size() / 2]);
	return 0;
}
