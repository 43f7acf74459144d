/* SPDX-License-Identifier: MIT */
/*
 * A region for tests of the library's side: shared memory that nobody drains, so that the test
 * plays the collector. Static inline: a test includes it and is one program.
 */
#ifndef TESTS_UNIT_PRELOAD_REGION_H
#define TESTS_UNIT_PRELOAD_REGION_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "preload/record/entry.h"
#include "preload/record/recorder.h"

#define REGION_TEST_BYTES (4u << 20)

static struct recorder_region region_made;

/* With an entry for this process; returns it. The recorder is not open yet. */
static inline uint32_t region_make(bool wait_when_full)
{
	uint32_t entry;
	void *memory = mmap(NULL, REGION_TEST_BYTES, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	region_made = (struct recorder_region){ .header = memory,
						.wait_when_full = wait_when_full };
	if (memory == MAP_FAILED || region_shape_of(REGION_TEST_BYTES, &region_made.shape) ||
	    entry_begin(memory, &region_made.shape, 0, &entry))
		abort();
	return entry;
}

static inline void region_unmake(void)
{
	recorder_close();
	munmap(region_made.header, REGION_TEST_BYTES);
}

static inline struct region_process *region_entry(uint32_t entry)
{
	return &region_processes(region_made.header, &region_made.shape)[entry];
}

/* The ring that is `index`-th in its class. */
static inline struct region_ring *region_ring(unsigned int tier, uint32_t index)
{
	return &region_rings(region_made.header,
			     &region_made.shape)[region_made.shape.class[tier].first + index];
}

static inline const uint64_t *region_words(unsigned int tier, uint32_t index)
{
	return region_ring_words(region_made.header, &region_made.shape, tier,
				 region_made.shape.class[tier].first + index);
}

#endif
