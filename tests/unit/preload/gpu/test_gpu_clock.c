/* SPDX-License-Identifier: MIT */
/* links: preload:gpu/gpu_clock.c,base/clock.c,base/symbols.c */
/*
 * preload/gpu/gpu_clock.c: a clock of CUPTI's that runs slower or faster than ours; the rate of our
 * ticks.
 */
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/unit.h"
#include "preload/base/clock.h"
#include "preload/gpu/gpu_clock.h"
#include "preload/record/entry.h"

static struct region_header header;
static unsigned int until_stall; /* of readings of CLOCK_MONOTONIC; 0: none stalls */
static double rate = 1;

/* The one asked for comes late: its thread had lost the CPU. */
static int clock_late(clockid_t clock, struct timespec *ret_time)
{
	struct timespec late = { 0, 50000000 };

	if (clock == CLOCK_MONOTONIC && until_stall && --until_stall == 0)
		nanosleep(&late, NULL);
	return (int)syscall(SYS_clock_gettime, clock, ret_time);
}

struct region_header *entry_region(void)
{
	return &header;
}

/* A day after ours. */
static cupti_result timestamp(uint64_t *ret_ns)
{
	*ret_ns = 86400000000000u + (uint64_t)((double)(clock_ticks() - header.base_tsc) * rate);
	return CUPTI_OK;
}

static void nap(uint64_t ns)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + ns;

	while (clock_ns(CLOCK_MONOTONIC) < until)
		continue;
}

static int setup(void **state)
{
	clock_is_tsc = false; /* ticks are nanoseconds */
	header.base_mono = header.base_tsc = clock_ticks();
	return 0;
}

/*
 * However long the naps are: what is asked is how far a moment before lies, which both clocks say.
 */
TEST(a_clock_that_drifts_is_followed)
{
	struct gpu_moment moment;
	uint64_t before_stamp, before_ticks, duration_ns;
	int64_t ago_ns, true_ns;

	rate = 1.0005;
	gpu_clock_begin(timestamp);
	assert_true(gpu_moment_look(&moment, timestamp));
	assert_int_equal(moment.drift, 0); /* nothing is known yet */
	before_ticks = moment.ticks;
	before_stamp = moment.clock[GPU_CLOCK_CUPTI].stamp;
	nap(600000000);
	assert_true(gpu_moment_look(&moment, timestamp));
	assert_in_range(-moment.drift, 490000, 510000);
	assert_true(gpu_moment_place(&moment, before_stamp, before_stamp + 1000, &ago_ns,
				     &duration_ns));
	true_ns = (int64_t)((double)(moment.ticks - before_ticks) * moment.ns_per_tick);
	assert_int_equal(duration_ns, 1000); /* as CUPTI has it */
	assert_in_range(ago_ns - true_ns + true_ns / 10000, 0, 2 * (uint64_t)true_ns / 10000);
}

static cupti_result realtime(uint64_t *ret_ns)
{
	*ret_ns = clock_ns(CLOCK_REALTIME);
	return CUPTI_OK;
}

/* It was wrong by a half and more: by what the stall is of the time since the region was made. */
TEST(the_rate_does_not_see_a_lost_cpu)
{
	struct gpu_moment calm, stalled;

	clock_of_kernel = clock_late;
	clock_is_tsc = true;
	do {
		header.base_tsc = clock_ticks();
		header.base_mono = clock_ns(CLOCK_MONOTONIC);
	} while (clock_ticks() - header.base_tsc > 100000);
	usleep(20000);
	assert_true(gpu_moment_look(&calm, realtime));
	for (unsigned int which = 1; which <= 4; which++) {
		until_stall = which;
		assert_true(gpu_moment_look(&stalled, realtime));
		until_stall = 0;
		assert_in_range((uint64_t)(stalled.ns_per_tick / calm.ns_per_tick * 1000), 990,
				1010);
	}
	clock_is_tsc = false;
}

TEST_GROUP(setup, NULL)
