/* SPDX-License-Identifier: MIT */
/*
 * How much of what PyTorch's allocator holds of a GPU lies free, and whether it could be used: the
 * allocator asks CUDA for segments and gives out blocks of them. A segment is needless if as much
 * as the block that it was asked for was free, but in smaller pieces.
 *
 * Segments are the calls of cudaMalloc() that what is reserved grows by. Where these do not explain
 * it (expandable segments, calls that were not recorded), nothing is known. Only blocks of more
 * than 1 MiB and their segments are judged. Memory grows with live blocks. For one thread.
 */
#ifndef REPORT_TENSORS_FRAGMENTS_H
#define REPORT_TENSORS_FRAGMENTS_H

#include "report/base/map.h"
#include "report/core/analysis.h"

/* When a process held the most of a device. */
struct fragments_peak {
	uint64_t reserved, allocated;
	uint64_t segments, free_bytes, largest_bytes; /* the largest piece that was free */
	uint64_t needless, needless_bytes;            /* segments */
};

struct fragments_pool {
	uint32_t process;
	uint64_t device; /* as events of tensors number it */
	bool is_unknown;
	uint64_t reserved, bytes; /* the second: of the known segments */
	struct fragments_segment *segment;
	size_t segment_count, segment_room;
	struct map blocks;                   /* address to bytes */
	uint64_t asked_address, asked_bytes; /* the latest cudaMalloc(), until it is a segment */
	uint64_t latest_bytes;               /* of the latest block */
	struct fragments_peak peak;
};

struct fragments {
	struct fragments_pool **pool;
	size_t pool_count, pool_room;
	struct map pools; /* hash of process and device to index */
};

struct fragments_options;
ANALYSIS(fragments, struct fragments)

/* Of the process that held the most of the device. NULL: nothing is known of it. */
const struct fragments_peak *fragments_of(const struct fragments *fragments, uint64_t device);
/* What of the peak would not have been reserved if free memory were in one piece. */
uint64_t fragments_lost_bytes(const struct fragments_peak *peak);

#endif
