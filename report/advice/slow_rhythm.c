/* SPDX-License-Identifier: MIT */
/*
 * The distances from the step with the most excess to those around it are tried: that step is part
 * of the rhythm, and steps that are slow by chance may lie between it and the next one.
 */
#include "report/advice/slow_rhythm.h"

#include <stdbool.h>

#define RHYTHM_STEPS_MIN 3u /* two distances that are equal */
#define RHYTHM_EVERY_MIN 3u /* every second step is no exception */
#define RHYTHM_SHARE 0.8    /* of the excess, and of the steps that should be slow */
#define RHYTHM_TRIES 64u    /* on each side: the next one is not behind more of them */

static size_t slow_rhythm_largest(const struct slow_step *step, size_t count)
{
	size_t largest = 0;

	for (size_t i = 1; i < count; i++)
		if (step[i].excess_ns > step[largest].excess_ns)
			largest = i;
	return largest;
}

static uint64_t slow_rhythm_apart(uint64_t one, uint64_t other)
{
	return one > other ? one - other : other - one;
}

/* Returns whether the steps at multiples of `every` from `from` on, or before, make the rhythm. */
static bool slow_rhythm_fits(const struct slow_step *step, size_t count, uint64_t from,
			     uint64_t every)
{
	uint64_t in_ns = 0, all_ns = 0, first = 0, last = 0, hits = 0, wanted;

	for (size_t i = 0; i < count; i++) {
		all_ns += step[i].excess_ns;
		if (slow_rhythm_apart(step[i].number, from) % every)
			continue;
		in_ns += step[i].excess_ns;
		first = hits++ ? first : step[i].number;
		last = step[i].number;
	}
	wanted = (last - first) / every + 1;
	return hits >= RHYTHM_STEPS_MIN && (double)in_ns >= RHYTHM_SHARE * (double)all_ns &&
	       (double)hits >= RHYTHM_SHARE * (double)wanted;
}

uint64_t slow_rhythm_find(const struct slow_step *step, size_t count)
{
	size_t largest = slow_rhythm_largest(step, count);
	size_t from = largest > RHYTHM_TRIES ? largest - RHYTHM_TRIES : 0;
	uint64_t found = 0;

	for (size_t i = from; i < count && i <= largest + RHYTHM_TRIES; i++) {
		uint64_t every = slow_rhythm_apart(step[i].number, step[largest].number);

		if (every >= RHYTHM_EVERY_MIN && every > found &&
		    slow_rhythm_fits(step, count, step[largest].number, every))
			found = every;
	}
	return found;
}
