/* SPDX-License-Identifier: MIT */
/*
 * Steps of the programs as the region shows them while nothing is recorded: how many ended, when
 * the last one did, and how long the newest took. The process that has the lowest entry of those
 * with steps speaks for all: ranks have collectors of their own.
 *
 * One thread. Nothing in the region is trusted: a length that cannot be is left out.
 */
#ifndef COLLECTOR_CAPTURES_STEPS_SEEN_H
#define COLLECTOR_CAPTURES_STEPS_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/common.h"
#include "collector/processes/processes.h"

#define STEPS_SEEN_LENGTHS 256u
#define STEPS_SEEN_MIN 20u /* fewer lengths have no median */

struct steps_seen {
	uint32_t entry, serial;
	bool has_process;
	uint64_t count;    /* steps that ended */
	uint64_t ended_ns; /* time of the file at which the last one did */
	uint64_t length_ns[STEPS_SEEN_LENGTHS];
	uint64_t lengths;    /* ever taken; the newest are kept */
	uint64_t longest_ns; /* of those taken by the last look; 0: none */
};

void steps_seen_look(struct steps_seen *steps, const struct common *common,
		     const struct processes *processes);
/* The median of the kept lengths; 0 while there are too few. */
uint64_t steps_seen_median_ns(const struct steps_seen *steps);

#endif
