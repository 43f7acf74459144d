/* SPDX-License-Identifier: MIT */
/* Lists, and open addressing with linear probing for what is in none; a frame is compared, never believed of a hash. */
#include "report/session/stacks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/base/vast.h"

#define SLOTS_FIRST 1024u

void stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){ .count = 1 };
	stacks->frame = vast_room(NULL, 0, &stacks->room, sizeof(*stacks->frame));
	stacks->secret = map_hash_bytes(NULL, 0, 1) | 1; /* no file can be made to collide */
}

void stacks_release(struct stacks *stacks)
{
	vast_release(stacks->frame, stacks->room, sizeof(*stacks->frame));
	free(stacks->slot);
	*stacks = (struct stacks){ 0 };
}

static inline bool frame_is(const struct stack_frame *frame, uint64_t address, uint32_t flags)
{
	return frame->address == address && frame->flags == flags;
}

static inline size_t frame_home(const struct stacks *stacks, const struct stack_frame *wanted)
{
	uint64_t hash = (wanted->address ^ (uint64_t)wanted->flags << 56) * stacks->secret;

	hash = (hash ^ hash >> 32 ^ wanted->parent) * stacks->secret;
	return (hash >> 32 ^ hash >> 16) & (stacks->slots - 1);
}

/* Where the frame stands in the hash, or where it would. */
static uint32_t *slot_of(const struct stacks *stacks, const struct stack_frame *wanted)
{
	size_t at = frame_home(stacks, wanted), mask = stacks->slots - 1;

	for (; stacks->slot[at]; at = (at + 1) & mask) {
		const struct stack_frame *frame = &stacks->frame[stacks->slot[at]];

		if (frame->parent == wanted->parent &&
		    frame_is(frame, wanted->address, wanted->flags))
			break;
	}
	return &stacks->slot[at];
}

static void stacks_expand(struct stacks *stacks)
{
	free(stacks->slot);
	stacks->slots = stacks->slots ? stacks->slots * 2 : SLOTS_FIRST;
	stacks->slot = memory_zero(stacks->slots, sizeof(*stacks->slot));
	memory_ask_huge_pages(stacks->slot, stacks->slots * sizeof(*stacks->slot));
	for (uint32_t i = 1; i < stacks->count; i++)
		if (stacks->frame[i].sibling == STACK_IS_FAR)
			*slot_of(stacks, &stacks->frame[i]) = i;
}

static uint32_t frame_add(struct stacks *stacks, const struct stack_frame *frame)
{
	if (stacks->count >= STACKS_MAX) {
		stacks->refused++;
		return STACK_NONE;
	}
	stacks->frame = vast_room(stacks->frame, stacks->count, &stacks->room,
				  sizeof(*stacks->frame));
	stacks->frame[stacks->count] = *frame;
	return (uint32_t)stacks->count++;
}

/* The caller's list is full, and the frame is not in it. */
static uint32_t add_far(struct stacks *stacks, const struct stack_frame *frame)
{
	uint32_t *slot;

	if (stacks->far >= stacks->slots / 2)
		stacks_expand(stacks);
	slot = slot_of(stacks, frame);
	if (!*slot) {
		*slot = frame_add(stacks, frame);
		stacks->far += *slot != STACK_NONE;
	}
	return *slot;
}

uint32_t stacks_add(struct stacks *stacks, uint32_t parent, uint64_t address, uint32_t flags)
{
	uint32_t first = stacks->frame[parent].callee, at = first, near = 0, added;

	for (; at; at = stacks->frame[at].sibling, near++)
		if (frame_is(&stacks->frame[at], address, flags))
			return at;
	if (near == STACKS_NEAR)
		return add_far(stacks, &(struct stack_frame){ address, parent, flags, STACK_NONE,
							      STACK_IS_FAR });
	added = frame_add(stacks,
			  &(struct stack_frame){ address, parent, flags, STACK_NONE, first });
	if (added != STACK_NONE)
		stacks->frame[parent].callee = added;
	return added;
}

unsigned int stacks_depth(const struct stacks *stacks, uint32_t stack)
{
	unsigned int depth = 0;

	for (; stack != STACK_NONE; stack = stacks->frame[stack].parent)
		depth++;
	return depth;
}
