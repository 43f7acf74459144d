/* SPDX-License-Identifier: MIT */
/*
 * Regions of torch.compile: what it has compiled of a function, "Torch-Compiled Region:
 * FUNCTION/NUMBER".
 *
 * Where the compiler cannot follow a function, at a graph break, it compiles what comes after as a
 * function of its own and calls that from inside: a region that opens within another one is one
 * break. NUMBER is 0 the first time, and counts what is compiled again because its guards do not
 * hold.
 *
 * Time directly in a region is Python's, or, of a compiled graph that records no gradients, the
 * graph's: so it counts only where a thread's regions record gradients.
 */
#ifndef REPORT_ADVICE_REGIONS_H
#define REPORT_ADVICE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind { REGION_NONE, REGION_FIRST, REGION_AGAIN };

enum region_kind region_kind_of(const char *name, size_t length);

/* The open regions of a thread; all zeros is none. */
struct regions {
	uint32_t open;
	uint64_t breaks, self_ns;
	bool records_gradient;
};

void regions_open(struct regions *regions);
/* Inside of regions an operator records gradients. */
void regions_record_gradient(struct regions *regions);
/*
 * One ends that was directly in itself for so long. True: it was the last, and what is there is to
 * be counted.
 */
bool regions_close(struct regions *regions, uint64_t self_ns);

#endif
