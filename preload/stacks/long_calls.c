/* SPDX-License-Identifier: MIT */
/*
 * Converts a threshold in ns to ticks with a fixed-point rate: the records' clock against
 * CLOCK_MONOTONIC since the region was made. After SETTLED_NS the rate is precise and is kept.
 */
#include "preload/stacks/long_calls.h"

#include "preload/record/entry.h"

#define SETTLED_NS 10000000u /* after this time the rate is final */
#define PRECISION 1000u      /* the readings may be apart by this fraction of the time */
#define READINGS 4u

uint64_t long_calls_ns[EVT_FAMILY_LIMIT];

static uint64_t
	/*
	 * ticks per nanosecond, times 2^32; 0: not final yet. Threads that come at once compute the
	 * same value
	 */
	rate;

/*
 * Returns a / b with 32 fractional bits. Integers only, because the program's floating-point flags
 * must not change.
 */
static uint64_t ratio(uint64_t a, uint64_t b)
{
	uint64_t result = a / b, rest = a % b;

	for (unsigned int i = 0; i < 32; i++) {
		rest <<= 1;
		result = result << 1 | (rest >= b);
		rest -= rest >= b ? b : 0;
	}
	return result;
}

/*
 * Compares the clock of the records with CLOCK_MONOTONIC since the region was made. If the thread
 * loses the CPU between the two readings, it reads again and the rate does not become final.
 */
static uint64_t long_calls_rate_of(const struct region_header *region)
{
	uint64_t before = 0, after = UINT64_MAX, ns = 0, now;

	for (unsigned int i = 0; i < READINGS && after - before > ns / PRECISION; i++) {
		before = clock_ticks() - region->base_tsc;
		ns = clock_ns(CLOCK_MONOTONIC) - region->base_mono;
		after = clock_ticks() - region->base_tsc;
	}
	if (!ns || ns >> 62 || after >> 62)
		return 1ull << 32;
	now = ratio(before + (after - before) / 2, ns);
	if (ns >= SETTLED_NS && after - before <= ns / PRECISION)
		__atomic_store_n(&rate, now, __ATOMIC_RELAXED);
	return now;
}

uint64_t long_calls_ticks(uint64_t ns)
{
	uint64_t known = __atomic_load_n(&rate, __ATOMIC_RELAXED);
	const struct region_header *region;

	if (!clock_is_tsc)
		return ns;
	if (__builtin_expect(!known, 0)) {
		region = entry_region();
		known = region ? long_calls_rate_of(region) : 1ull << 32;
	}
	return (uint64_t)((unsigned __int128)ns * known >> 32);
}
