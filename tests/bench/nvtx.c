/* SPDX-License-Identifier: MIT */
/*
 * usage: nvtx PAIRS
 * Opens and closes NVTX ranges of eight names in turn, through the NVTX 3 headers where there are
 * some (compiled with -DHAVE_NVTX3), else through the functions of libnvToolsExt.so.1.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef HAVE_NVTX3
#include <nvtx3/nvToolsExt.h>
#else
__attribute__((weak)) int nvtxRangePushA(const char *message);
__attribute__((weak)) int nvtxRangePop(void);
#endif

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	static const char *const name[8] = { "data",      "forward", "loss",  "backward",
					     "optimizer", "step",    "epoch", "x" };
	uint64_t pairs = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	uint64_t wall, cpu;

#ifndef HAVE_NVTX3
	if (!nvtxRangePushA) {
		printf("result {\"pairs\": 0}\n");
		return 0;
	}
#endif
	nvtxRangePushA("first"); /* starts the library behind the headers */
	nvtxRangePop();
	wall = now_ns(CLOCK_MONOTONIC);
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (uint64_t i = 0; i < pairs; i++) {
		nvtxRangePushA(name[i % 8]);
		nvtxRangePop();
	}
	wall = now_ns(CLOCK_MONOTONIC) - wall;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("result {\"pairs\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu}\n",
	       (unsigned long long)pairs, (unsigned long long)wall, (unsigned long long)cpu);
	return 0;
}
