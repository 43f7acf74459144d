/* SPDX-License-Identifier: MIT */
/*
 * The blocks of tensors that live: a segment of the file repeats them, so that a reader who begins
 * there knows how large a block is that is freed, and what lives already. One thread.
 *
 * Bounded: once there were more than TENSOR_BLOCKS_MAX, no segment repeats any.
 */
#ifndef COLLECTOR_DRAIN_TENSOR_BLOCKS_H
#define COLLECTOR_DRAIN_TENSOR_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/drain/standing.h"
#include "collector/format/block.h"

#define TENSOR_BLOCKS_MAX 32768u

struct tensor_block {
	uint64_t time_ns;
	uint32_t process, stream;
	struct evt_tensor_alloc event; /* ptr is 0: an empty slot */
};

/* Zeroed memory is an empty one. */
struct tensor_blocks {
	struct tensor_block *slot; /* open addressing */
	uint32_t slots, count;
	bool is_partial;
};

void tensor_blocks_release(struct tensor_blocks *blocks);

/* Takes a tensor_alloc or a tensor_free. */
void tensor_blocks_take(struct tensor_blocks *blocks, const struct standing_event *event);

/* `stream_of`: where a block of a process is put whose own stream has ended; 0: nowhere. */
struct tensor_blocks_place {
	uint32_t (*stream_of)(const void *context, const struct tensor_block *block);
	const void *context;
};
/*
 * Puts all of them into blocks of their streams and forgets those of processes that have ended.
 * Returns false if some are missing.
 */
bool tensor_blocks_write(struct tensor_blocks *blocks, const struct tensor_blocks_place *place,
			 struct frame_writer *fw);

#endif
