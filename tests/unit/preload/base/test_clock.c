/* SPDX-License-Identifier: MIT */
/* links: preload:base/clock.c,base/symbols.c */
/*
 * preload/base/clock.c: the kernel's clocks are read past a clock_gettime() of the program's own.
 */
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "preload/base/clock.h"

/* As of a program that plays with time. */
int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	(void)clock;
	*ret_time = (struct timespec){ 1, 0 };
	return 0;
}

static uint64_t by_kernel(clockid_t clock)
{
	struct timespec ts;

	assert_int_equal(syscall(SYS_clock_gettime, clock, &ts), 0);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void expect_the_kernels(clockid_t clock)
{
	uint64_t before = by_kernel(clock), read = clock_ns(clock);

	assert_in_range(read, before, by_kernel(clock));
}

static void expect_all(void)
{
	uint64_t before, ticks;

	expect_the_kernels(CLOCK_MONOTONIC);
	expect_the_kernels(CLOCK_PROCESS_CPUTIME_ID);
	expect_the_kernels(CLOCK_THREAD_CPUTIME_ID);
	clock_is_tsc = false;
	before = by_kernel(CLOCK_MONOTONIC);
	ticks = clock_ticks();
	assert_in_range(ticks, before, by_kernel(CLOCK_MONOTONIC));
}

TEST(a_clock_of_the_programs_own_is_not_asked)
{
	int (*at_first)(clockid_t clock, struct timespec * ret_time) = clock_of_kernel;

	expect_all();
	clock_init();
	expect_all();
	if (getauxval(AT_SYSINFO_EHDR))
		assert_true(clock_of_kernel != at_first);
}
