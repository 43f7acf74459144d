/* SPDX-License-Identifier: MIT */
/*
 * How many requests each process has begun, by method: for digests of segments, which stand for
 * their requests, and for states, which stand for those of all segments before. One thread.
 *
 * Bounded: REQUEST_SUMS_MAX processes and methods; is_partial once there were more.
 */
#ifndef COLLECTOR_DRAIN_REQUEST_SUMS_H
#define COLLECTOR_DRAIN_REQUEST_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/names.h"
#include "collector/drain/standing.h"
#include "collector/format/block.h"

#define REQUEST_SUMS_MAX 1024u

struct request_count {
	uint64_t count, first_ns; /* of the first one; meaningless without one */
};

struct request_sum {
	uint32_t process;
	uint64_t method;
	struct request_count before, now; /* in segments that have ended, and in the open one */
};

/* Zeroed memory is an empty one. */
struct request_sums {
	struct request_sum *sum;
	uint32_t count, room;
	bool is_partial;
};

void request_sums_release(struct request_sums *sums);
/* Takes a request_begin. */
void request_sums_take(struct request_sums *sums, const struct standing_event *event);

/*
 * Puts the requests of the open segment into a block of stream 0, as events of that time; its names
 * are those of the segment. Returns false if there is no room, or they are not known.
 */
bool request_sums_write_segment(const struct request_sums *sums, uint64_t time_ns,
				struct frame_writer *fw);
/* The same with all requests so far, and the names that they use. */
bool request_sums_write_all(const struct request_sums *sums, uint64_t time_ns, struct names *names,
			    struct frame_writer *fw);
/* The segment has ended. `lives`: processes of which it returns false are forgotten. */
void request_sums_turn(struct request_sums *sums, bool (*lives)(const void *, uint32_t process),
		       const void *context);

#endif
