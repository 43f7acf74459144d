/* SPDX-License-Identifier: MIT */
/* links: preload:gpu/gpu_clock.c,base/clock.c */
/* preload/gpu/gpu_clock.c: a clock of CUPTI's that runs slower or faster than ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "preload/base/clock.h"
#include "preload/gpu/gpu_clock.h"
#include "preload/record/entry.h"

static struct region_header header;
static double rate = 1;

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
	(void)state;
	clock_is_tsc = false; /* ticks are nanoseconds */
	header.base_mono = header.base_tsc = clock_ticks();
	return 0;
}

/* However long the naps are: what is asked is how far a moment before lies, which both clocks say. */
static void a_clock_that_drifts_is_followed(void **state)
{
	struct gpu_moment moment;
	uint64_t before_stamp, before_ticks, duration_ns;
	int64_t ago_ns, true_ns;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clock_that_drifts_is_followed),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
