/* SPDX-License-Identifier: MIT */
/*
 * What threads did in gaps that have not ended when their stretches are forgotten: sums by stream,
 * thread and key. A gap belongs to a stream and begins at a time; when a new gap of the stream
 * begins, the earlier one is dropped.
 *
 * Memory grows with streams, their threads and what these did. All zeros is not empty: use
 * open_gaps_init(). One thread.
 */
#ifndef REPORT_IDLE_OPEN_GAPS_H
#define REPORT_IDLE_OPEN_GAPS_H

#include "report/base/map.h"

struct open_gap_part {
	uint64_t count, total_ns, max_ns;
	uint32_t key, next; /* next: index + 1, of the same gap and thread */
};

struct open_gap {
	uint64_t from_ns, to_ns; /* to_ns: its parts are known up to here; from_ns initially */
	uint32_t first;          /* index of a part + 1 */
};

struct open_gaps {
	struct map gaps; /* from stream and thread to index */
	struct open_gap *gap;
	struct open_gap_part *part;
	size_t gap_count, gap_room, part_count, part_room;
	uint32_t unused; /* index of a part + 1 */
};

void open_gaps_init(struct open_gaps *gaps);
void open_gaps_release(struct open_gaps *gaps);

/* Returns the gap of the stream that began then, for a thread. Valid until the next call. */
struct open_gap *open_gaps_put(struct open_gaps *gaps, uint32_t stream, uint32_t thread,
			       uint64_t from_ns);
void open_gap_add(struct open_gaps *gaps, struct open_gap *gap, uint32_t key, uint64_t ns);
/* Iterates over its parts, from the latest key on; NULL: the end. Begins with `part` NULL. */
const struct open_gap_part *open_gap_next(const struct open_gaps *gaps, const struct open_gap *gap,
					  const struct open_gap_part *part);
/* NULL: nothing is kept of that gap and thread. */
const struct open_gap *open_gaps_find(const struct open_gaps *gaps, uint32_t stream,
				      uint32_t thread, uint64_t from_ns);

#endif
