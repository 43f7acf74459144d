/* SPDX-License-Identifier: MIT */
/*
 * The records that this thread has written last are still in its ring, because no other thread
 * writes there. So the last record is examined to see whether it is the block's birth.
 */
#include "preload/heap/block_record.h"

static bool type_is_birth(uint32_t type)
{
	return type == EVT_malloc || type == EVT_calloc || type == EVT_memalign ||
	       type == EVT_realloc;
}

/*
 * True if the last `words` words are the birth of the block. A record never wraps around the ring's
 * end.
 */
static bool record_is_birth(const struct recorder_lane *lane, uint64_t block, unsigned int words)
{
	const uint64_t *at = lane->words + ((lane->head - words) & lane->mask);
	bool is_packed = words == RECORD_PACKED_WORDS;
	uint32_t type = record_type(at[0]);

	if (((type & RECORD_PACKED) != 0) != is_packed || !type_is_birth(type & ~RECORD_PACKED))
		return false;
	return is_packed ? record_packed_address(at[1]) == block : at[1] == block;
}

bool block_is_recorded(struct block_before before, const void *block)
{
	for (unsigned int i = 0; i < RECORDER_LEVELS; i++) {
		const struct recorder_lane *lane = &recorder_self.lane[i];
		uint64_t written = lane->head - before.head[i];

		if (!lane->words || !written)
			continue;
		/* if the thread got its ring in between, everything in it was written since */
		if (lane->head < before.head[i])
			written = lane->head;
		if ((written >= RECORD_PACKED_WORDS &&
		     record_is_birth(lane, (uintptr_t)block, RECORD_PACKED_WORDS)) ||
		    (written >= 4 && record_is_birth(lane, (uintptr_t)block, 4)))
			return true;
	}
	return false;
}
