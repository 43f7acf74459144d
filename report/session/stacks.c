/* SPDX-License-Identifier: MIT */
/* Frames by hash, those of one hash in a chain: equality is compared, never believed of a hash. */
#include "report/session/stacks.h"

#include <stdlib.h>

#include "report/base/memory.h"

static uint64_t frame_hash(uint32_t parent, uint64_t address, uint32_t flags)
{
	uint64_t hash = (address ^ (uint64_t)flags << 56) * 0x9e3779b97f4a7c15u;

	hash = (hash ^ hash >> 32 ^ parent) * 0xff51afd7ed558ccdu;
	hash ^= hash >> 32;
	return hash ? hash : 1;
}

void stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){ .count = 1 };
	map_init(&stacks->frames);
	stacks->frame = memory_room(NULL, 0, &stacks->room, sizeof(*stacks->frame));
}

void stacks_release(struct stacks *stacks)
{
	map_release(&stacks->frames);
	free(stacks->frame);
	*stacks = (struct stacks){ 0 };
}

uint32_t stacks_add(struct stacks *stacks, uint32_t parent, uint64_t address, uint32_t flags)
{
	bool added;
	struct map_entry *entry = map_put(&stacks->frames, frame_hash(parent, address, flags),
					  &added);

	for (uint32_t at = (uint32_t)entry->value; at; at = stacks->frame[at].next) {
		const struct stack_frame *frame = &stacks->frame[at];

		if (frame->address == address && frame->parent == parent && frame->flags == flags)
			return at;
	}
	if (stacks->count >= STACKS_MAX) {
		stacks->refused++;
		return STACK_NONE;
	}
	stacks->frame = memory_room(stacks->frame, stacks->count, &stacks->room,
				    sizeof(*stacks->frame));
	stacks->frame[stacks->count] = (struct stack_frame){ address, parent, flags,
							     (uint32_t)entry->value };
	entry->value = stacks->count;
	return (uint32_t)stacks->count++;
}

unsigned int stacks_depth(const struct stacks *stacks, uint32_t stack)
{
	unsigned int depth = 0;

	for (; stack != STACK_NONE; stack = stacks->frame[stack].parent)
		depth++;
	return depth;
}
