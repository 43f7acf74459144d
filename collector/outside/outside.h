/* SPDX-License-Identifier: MIT */
/*
 * Samples a program from outside that was started without us: a region of this process' own with an
 * entry for that program, as if it had made one. So sources that look from outside find it (stacks
 * of Python, native stacks, memory, the scheduler's counters), and nothing is recorded from inside.
 *
 * The program is neither stopped nor changed.
 */
#ifndef COLLECTOR_OUTSIDE_OUTSIDE_H
#define COLLECTOR_OUTSIDE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/region/region.h"

struct outside {
	struct region_header *header;
	struct region_process *entry;
	uint64_t bytes;  /* of the region */
	bool has_python; /* whose stacks can be read */
};

struct outside_wish {
	uint32_t pid;
	unsigned int hz;    /* looks a second */
	const char *output; /* absolute */
};

/* Returns 0 or -errno. */
int outside_begin(struct outside *outside, const struct outside_wish *wish);
/* The program is no longer looked at: the collector finishes the file. */
void outside_end(struct outside *outside);

#endif
