/* SPDX-License-Identifier: MIT */
/*
 * What begins on one thread and ends on whatever other one, found by its process and a key: blocks
 * of tensors, requests. A segment of the file repeats the begins of what has not ended. One thread.
 *
 * Bounded: once there were more than LASTING_MAX at a time, no segment repeats any.
 */
#ifndef COLLECTOR_DRAIN_LASTING_H
#define COLLECTOR_DRAIN_LASTING_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/core/names.h"
#include "collector/drain/standing.h"
#include "collector/format/block.h"

#define LASTING_MAX 32768u
#define LASTING_WORDS 7u /* fields of a begin, at most */

struct lasting_begin {
	uint64_t time_ns, key; /* key 0: an empty slot */
	uint32_t process, stream;
	uint64_t value[LASTING_WORDS];
};

/* Zeroed memory is an empty one. */
struct lasting {
	struct lasting_begin *slot; /* open addressing */
	uint32_t slots, count;
	bool is_partial;
};

void lasting_release(struct lasting *lasting);

/* Something with that key, not 0, has begun; or has ended. */
void lasting_begins(struct lasting *lasting, const struct standing_event *event, uint64_t key);
void lasting_ends(struct lasting *lasting, uint32_t process, uint64_t key);
/* Of the process, nothing is known any more. */
void lasting_drop_process(struct lasting *lasting, uint32_t process);

/* `stream_of`: where a begin of a process is put whose own stream has ended; 0: nowhere. */
struct lasting_place {
	uint32_t (*stream_of)(const void *context, const struct lasting_begin *begin);
	const void *context;
};
/* Puts the names of all begins, which are events `id`, into the open block of stream 0. */
bool lasting_write_names(const struct lasting *lasting, uint32_t id, struct names *names,
			 struct frame_writer *fw);
/*
 * Puts all begins into blocks of their streams and forgets those of processes that have ended.
 * Returns false if the frame has no room, or there is no memory.
 */
bool lasting_write(struct lasting *lasting, uint32_t id, const struct lasting_place *place,
		   struct frame_writer *fw);

#endif
