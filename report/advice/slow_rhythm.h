/* SPDX-License-Identifier: MIT */
/*
 * Whether slow steps come at regular distances, as every 100th one: then they are made by what runs
 * once in so many steps, such as an evaluation or a new epoch, and not by chance.
 */
#ifndef REPORT_ADVICE_SLOW_RHYTHM_H
#define REPORT_ADVICE_SLOW_RHYTHM_H

#include <stddef.h>
#include <stdint.h>

/* A slow step of one process. */
struct slow_step {
	uint64_t number;
	uint64_t excess_ns; /* by how much it is longer than the usual */
};

/*
 * Returns N if nearly all of the excess is in every Nth step, at least three of them, and nearly
 * all of those are slow; otherwise 0. `step` is in the order of numbers.
 */
uint64_t slow_rhythm_find(const struct slow_step *step, size_t count);

#endif
