/* SPDX-License-Identifier: MIT */
/* Frames of a thread are kept until the gc_begin that follows them. */
#include "report/gc/gc_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

#define MODULE "<module>"

void gc_stacks_init(struct gc_stacks *stacks)
{
	*stacks = (struct gc_stacks){ .count = 1 };
	stacks->stack = memory_room(NULL, 0, &stacks->room, sizeof(*stacks->stack));
	map_init(&stacks->known);
}

void gc_stacks_release(struct gc_stacks *stacks)
{
	map_release(&stacks->known);
	free(stacks->stack);
	free(stacks->frame);
	free(stacks->pending);
}

static struct gc_pending *pending_at(struct gc_stacks *stacks, uint32_t thread)
{
	stacks->pending = memory_room(stacks->pending, thread, &stacks->pending_room,
				      sizeof(*stacks->pending));
	return &stacks->pending[thread];
}

void gc_stacks_add(struct gc_stacks *stacks, struct source *source,
		   const struct source_event *event)
{
	const struct evt_gc_frame *frame = EVENT_AS(gc_frame, &event->event);
	struct gc_pending *pending = pending_at(stacks, event->thread->index);

	if (pending->count >= GC_STACK_FRAMES)
		return;
	pending->frame[pending->count++] = (struct gc_frame){
		.file = event_name(source, event, frame->file),
		.function = event_name(source, event, frame->function),
		.line = (uint32_t)frame->line,
	};
}

static uint32_t gc_stacks_keep(struct gc_stacks *stacks, const struct gc_pending *pending)
{
	size_t bytes = pending->count * sizeof(pending->frame[0]);
	struct map_entry *known;
	bool added;

	if (stacks->count >= GC_STACKS_MAX)
		return GC_STACK_NONE;
	known = map_put(&stacks->known, map_hash_bytes(pending->frame, bytes, 0), &added);
	if (!added)
		return (uint32_t)known->value;
	known->value = stacks->count;
	stacks->stack = memory_room(stacks->stack, stacks->count, &stacks->room,
				    sizeof(*stacks->stack));
	stacks->stack[stacks->count++] = (struct gc_stack){ stacks->frame_count, pending->count };
	for (uint32_t i = 0; i < pending->count; i++) {
		stacks->frame = memory_room(stacks->frame, stacks->frame_count, &stacks->frame_room,
					    sizeof(*stacks->frame));
		stacks->frame[stacks->frame_count++] = pending->frame[i];
	}
	return (uint32_t)known->value;
}

uint32_t gc_stacks_take(struct gc_stacks *stacks, struct source *source,
			const struct source_event *event)
{
	const struct evt_gc_begin *begin = EVENT_AS(gc_begin, &event->event);
	struct gc_pending *pending = pending_at(stacks, event->thread->index);
	uint32_t stack = GC_STACK_NONE;

	if (!pending->count && begin->line) {
		pending->frame[0] = (struct gc_frame){ .file = event_name(source, event,
									  begin->file),
						       .line = (uint32_t)begin->line };
		pending->count = 1;
	}
	if (pending->count)
		stack = gc_stacks_keep(stacks, pending);
	pending->count = 0;
	return stack;
}

void gc_stacks_forget(struct gc_stacks *stacks, uint32_t thread)
{
	pending_at(stacks, thread)->count = 0;
}

bool gc_frame_is_users(struct own *own, const struct gc_frame *frame)
{
	return !own || own->is_off || own_has_name(own, frame->file);
}

const struct gc_frame *gc_stack_place(const struct gc_stacks *stacks, struct own *own,
				      uint32_t stack, const struct gc_frame **ret_caller)
{
	const struct gc_stack *at = &stacks->stack[stack < stacks->count ? stack : GC_STACK_NONE];
	const struct gc_frame *frame = stacks->frame + at->first, *place = NULL;

	*ret_caller = NULL;
	for (uint32_t i = 0; i < at->count && !*ret_caller; i++) {
		if (!gc_frame_is_users(own, &frame[i]))
			continue;
		if (!place)
			place = &frame[i];
		else if (frame[i].file != place->file || frame[i].line != place->line)
			*ret_caller = &frame[i];
	}
	return place || !at->count ? place : frame;
}

void gc_stacks_note_scripts(const struct gc_stacks *stacks, const struct source *source,
			    struct own *own)
{
	for (size_t i = 1; i < stacks->count; i++) {
		const struct gc_stack *stack = &stacks->stack[i];
		const struct gc_frame *outermost = &stacks->frame[stack->first + stack->count - 1];
		size_t length;
		const char *text = name_text(source_name_at(source, outermost->function), &length);

		if (stack->count < GC_STACK_FRAMES && length == strlen(MODULE) &&
		    memcmp(text, MODULE, length) == 0)
			own_note_script(own, outermost->file);
	}
}
