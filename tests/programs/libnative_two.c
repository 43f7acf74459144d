/* SPDX-License-Identifier: MIT */
/*
 * A library that uses CPU time in a function of its own: plugin_spin() of all such is the same,
 * native_two() is not.
 */
/* build: -O2 -fomit-frame-pointer */
#include <stdint.h>
#include <time.h>

void plugin_spin(uint64_t ns);

static volatile uint64_t sink;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void native_two(void)
{
	for (uint64_t i = 0; i < 200000; i++)
		sink += i * i;
}

void plugin_spin(uint64_t ns)
{
	uint64_t end = cpu_ns() + ns;

	while (cpu_ns() < end)
		native_two();
}
