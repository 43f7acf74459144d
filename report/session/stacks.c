/* SPDX-License-Identifier: MIT */
/* Callees are in lists of limited length; slots have those that are in no list. */
#include "report/session/stacks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "report/base/map.h"
#include "report/base/vast.h"

void stacks_init(struct stacks *stacks)
{
	*stacks = (struct stacks){ .count = 1 };
	stacks->frame = vast_room(NULL, 0, &stacks->room, sizeof(*stacks->frame));
	/* so that no file can be made to cause collisions */
	stacks->secret = map_hash_bytes(NULL, 0, 1) | 1;
}

void stacks_release(struct stacks *stacks)
{
	vast_release(stacks->frame, stacks->room, sizeof(*stacks->frame));
	slots_release(&stacks->far);
	*stacks = (struct stacks){ 0 };
}

static inline bool frame_is(const struct stack_frame *frame, uint64_t address, uint32_t flags)
{
	return frame->address == address && frame->flags == flags;
}

static inline uint64_t frame_hash(const struct stacks *stacks, const struct stack_frame *wanted)
{
	uint64_t hash = (wanted->address ^ (uint64_t)wanted->flags << 56) * stacks->secret;

	hash = (hash ^ hash >> 32 ^ wanted->parent) * stacks->secret;
	return hash >> 32 ^ hash >> 16;
}

static inline bool stacks_is_wanted(const void *owner, uint32_t number, const void *wanted)
{
	const struct stack_frame *frame = &((const struct stacks *)owner)->frame[number];
	const struct stack_frame *other = wanted;

	return frame->parent == other->parent && frame_is(frame, other->address, other->flags);
}

static uint32_t *stacks_slot_of(const struct stacks *stacks, const struct stack_frame *wanted)
{
	return slots_find(&stacks->far, frame_hash(stacks, wanted), stacks_is_wanted, stacks,
			  wanted);
}

static void stacks_expand(struct stacks *stacks)
{
	slots_expand(&stacks->far);
	for (uint32_t i = 1; i < stacks->count; i++)
		if (stacks->frame[i].sibling == STACK_IS_FAR)
			*stacks_slot_of(stacks, &stacks->frame[i]) = i;
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

	if (slots_are_full(&stacks->far))
		stacks_expand(stacks);
	slot = stacks_slot_of(stacks, frame);
	if (!*slot) {
		*slot = frame_add(stacks, frame);
		stacks->far.used += *slot != STACK_NONE;
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
