/* SPDX-License-Identifier: MIT */
/* Open addressing with linear probing; a frame is compared, never believed of a hash. */
#include "report/session/stacks.h"

#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"

#define SLOTS_FIRST 1024u

void stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){ .count = 1, .slots = SLOTS_FIRST };
	stacks->frame = memory_room(NULL, 0, &stacks->room, sizeof(*stacks->frame));
	stacks->slot = memory_zero(stacks->slots, sizeof(*stacks->slot));
	stacks->secret = map_hash_bytes(NULL, 0, 1) | 1; /* no file can be made to collide */
}

void stacks_release(struct stacks *stacks)
{
	free(stacks->frame);
	free(stacks->slot);
	*stacks = (struct stacks){ 0 };
}

static inline size_t frame_home(const struct stacks *stacks, uint32_t parent, uint64_t address,
				uint32_t flags)
{
	uint64_t hash = (address ^ (uint64_t)flags << 56) * stacks->secret;

	hash = (hash ^ hash >> 32 ^ parent) * stacks->secret;
	return (hash >> 32 ^ hash >> 16) & (stacks->slots - 1);
}

static void stacks_expand(struct stacks *stacks)
{
	size_t mask = stacks->slots * 2 - 1;

	free(stacks->slot);
	stacks->slots *= 2;
	stacks->slot = memory_zero(stacks->slots, sizeof(*stacks->slot));
	memory_ask_huge_pages(stacks->slot, stacks->slots * sizeof(*stacks->slot));
	for (uint32_t i = 1; i < stacks->count; i++) {
		const struct stack_frame *frame = &stacks->frame[i];
		size_t at = frame_home(stacks, frame->parent, frame->address, frame->flags);

		while (stacks->slot[at])
			at = (at + 1) & mask;
		stacks->slot[at] = i;
	}
}

uint32_t stacks_add(struct stacks *stacks, uint32_t parent, uint64_t address, uint32_t flags)
{
	size_t at = frame_home(stacks, parent, address, flags), mask = stacks->slots - 1;

	for (; stacks->slot[at]; at = (at + 1) & mask) {
		const struct stack_frame *frame = &stacks->frame[stacks->slot[at]];

		if (frame->address == address && frame->parent == parent && frame->flags == flags)
			return stacks->slot[at];
	}
	if (stacks->count >= STACKS_MAX) {
		stacks->refused++;
		return STACK_NONE;
	}
	stacks->frame = memory_room(stacks->frame, stacks->count, &stacks->room,
				    sizeof(*stacks->frame));
	stacks->frame[stacks->count] = (struct stack_frame){ address, parent, flags };
	stacks->slot[at] = (uint32_t)stacks->count++;
	if (stacks->count > stacks->slots / 2)
		stacks_expand(stacks);
	return (uint32_t)stacks->count - 1;
}

unsigned int stacks_depth(const struct stacks *stacks, uint32_t stack)
{
	unsigned int depth = 0;

	for (; stack != STACK_NONE; stack = stacks->frame[stack].parent)
		depth++;
	return depth;
}
