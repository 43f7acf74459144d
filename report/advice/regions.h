/* SPDX-License-Identifier: MIT */
/*
 * Regions of torch.compile: each is one compiled version of a function, "Torch-Compiled Region:
 * FUNCTION/NUMBER".
 *
 * Where the compiler cannot follow a function, at a graph break, it compiles the rest as a function
 * of its own and calls that from inside. So a region that opens within another one means one break.
 * NUMBER is 0 the first time, and counts recompilations because of guards that failed.
 *
 * Time directly in a region is Python's, or, for a compiled graph that records no gradients, the
 * graph's. So it counts only if a thread's regions record gradients.
 */
#ifndef REPORT_ADVICE_REGIONS_H
#define REPORT_ADVICE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind { REGION_NONE, REGION_FIRST, REGION_AGAIN };

enum region_kind region_kind_of(const char *name, size_t length);

/* The open regions of a thread; all zeros: none. */
struct regions {
	uint32_t open;
	uint64_t breaks, self_ns;
	bool records_gradient;
};

void regions_open(struct regions *regions);
/* An operator inside of regions records gradients. */
void regions_record_gradient(struct regions *regions);
/*
 * A region ends that had `self_ns` directly in itself. Returns true if it was the last one and its
 * time is to be counted.
 */
bool regions_close(struct regions *regions, uint64_t self_ns);

#endif
