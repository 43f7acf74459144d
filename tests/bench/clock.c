/* SPDX-License-Identifier: MIT */
/*
 * What reading a clock costs on this machine: the floor of every event that has a time.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define ROUNDS 10000000u

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
	uint64_t sum = 0;
	struct timespec t;
	double start = now_ns(), middle;

	for (unsigned int i = 0; i < ROUNDS; i++)
		sum += __rdtsc();
	middle = now_ns();
	for (unsigned int i = 0; i < ROUNDS; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sum += (uint64_t)t.tv_nsec;
	}
	printf("result {\"rdtsc_ns\": %.3f, \"clock_gettime_ns\": %.3f, \"sum\": %llu}\n",
	       (middle - start) / ROUNDS, (now_ns() - middle) / ROUNDS, (unsigned long long)sum);
	return 0;
}
