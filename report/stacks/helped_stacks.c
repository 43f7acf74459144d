/* SPDX-License-Identifier: MIT */
/*
 * Keeps, per thread, the stack of the operator that began last, the stack of the block that was
 * allocated last, and the stacks of open operators by depth. The part of a stack outside of
 * torch.autograd's frame, and the combination of two stacks, are computed once and kept.
 */
#include "report/stacks/helped_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/frame_flags.h"
#include "report/base/map.h"
#include "report/base/memory.h"
#include "report/helpers/helpers.h"
#include "report/scopes/scope_events.h"
#include "report/session/stacks.h"

#define DEPTH_MAX 64u /* open operators whose stacks are kept */

struct helped_thread {
	uint32_t last;   /* of the operator that the thread began last */
	uint32_t inside; /* of the block that the thread allocated last */
	uint64_t moves;  /* helper_thread.moves then, + 1 */
	uint32_t open[DEPTH_MAX];
};

struct helped_stacks {
	const struct helpers *helpers;
	struct source *source;
	struct helped_thread *thread;
	size_t thread_room;
	/* key: process and stack; value: the part outside of torch.autograd's call of the engine */
	struct map engine;
	struct map joined; /* key: outer and inner stack; value: both joined */
};

static void helped_stacks_take(void *state, const struct source_event *event, bool counts)
{
	struct helped_stacks *helped = state;
	uint32_t index = event->thread->index;
	uint32_t depth = helped->helpers->thread[index].depth;
	struct helped_thread *thread;

	(void)counts;
	helped->thread = memory_room(helped->thread, index, &helped->thread_room,
				     sizeof(*helped->thread));
	thread = &helped->thread[index];
	thread->last = event->stack;
	if (depth && depth <= DEPTH_MAX)
		/* Python may run in a user scope */
		thread->open[depth - 1] = event_record_scope(event) == EVT_SCOPE_USER
						  ? STACK_NONE
						  : event->stack;
}

static void helped_stacks_take_block(void *state, const struct source_event *event, bool counts)
{
	struct helped_stacks *helped = state;
	uint32_t index = event->thread->index;

	(void)counts;
	if (event->stack == STACK_NONE || index >= helped->thread_room ||
	    index >= helped->helpers->thread_room)
		return;
	helped->thread[index].inside = event->stack;
	helped->thread[index].moves = helped->helpers->thread[index].moves + 1;
}

/*
 * True for the functions of torch.autograd that call the engine, having made the first gradient
 * before.
 */
static bool calls_engine(const struct source_python_line *line)
{
	static const char file[] = "torch/autograd/__init__.py";
	size_t length = sizeof(file) - 1;

	return line && line->file->text && line->file->length >= length &&
	       !memcmp(line->file->text + line->file->length - length, file, length) &&
	       (source_name_is(line->function, "backward") ||
		source_name_is(line->function, "grad"));
}

/* Returns the part of the stack outside of that function; STACK_NONE: the function is not in it. */
static uint32_t find_engine(const struct helped_stacks *helped,
			    const struct source_process *process, uint32_t stack)
{
	const struct stacks *stacks = source_stacks(helped->source);

	for (; stack != STACK_NONE; stack = stacks_frame(stacks, stack)->parent) {
		const struct stack_frame *frame = stacks_frame(stacks, stack);

		if (frame->flags & FRAME_IS_PYTHON &&
		    calls_engine(source_python_line(process, frame->address)))
			return frame->parent;
	}
	return STACK_NONE;
}

static uint64_t key_of_two(uint32_t one, uint32_t other)
{
	return ((uint64_t)one << 32 | other) + 1;
}

static uint32_t engine_of(struct helped_stacks *helped, const struct source_process *process,
			  uint32_t stack)
{
	struct map_entry *entry;
	bool added;

	if (stack == STACK_NONE)
		return STACK_NONE;
	entry = map_put(&helped->engine, key_of_two(process->index, stack), &added);
	if (added)
		entry->value = find_engine(helped, process, stack);
	return (uint32_t)entry->value;
}

static uint32_t helped_stacks_join(struct helped_stacks *helped, uint32_t outer, uint32_t inner)
{
	struct map_entry *entry;
	bool added;

	if (outer == STACK_NONE || inner == STACK_NONE)
		return outer == STACK_NONE ? inner : outer;
	entry = map_put(&helped->joined, key_of_two(outer, inner), &added);
	if (added)
		entry->value = source_stack_under(helped->source, outer, inner);
	return (uint32_t)entry->value;
}

static uint32_t open_stack(const struct helped_stacks *helped, uint32_t index)
{
	uint32_t depth = index < helped->helpers->thread_room ? helped->helpers->thread[index].depth
							      : 0;

	if (index >= helped->thread_room || !depth || depth > DEPTH_MAX)
		return STACK_NONE;
	return helped->thread[index].open[depth - 1];
}

/* Where the thread called the engine that it waits for; STACK_NONE: not known. */
static uint32_t wait_of(struct helped_stacks *helped, const struct source_process *process,
			uint32_t owner)
{
	const struct helped_thread *thread = &helped->thread[owner];
	uint32_t stack = engine_of(helped, process, thread->last);

	if (stack == STACK_NONE && thread->moves == helped->helpers->thread[owner].moves + 1)
		stack = engine_of(helped, process, thread->inside);
	return stack;
}

uint32_t helped_stacks_of(struct helped_stacks *helped, const struct source_event *event)
{
	uint32_t index = event->thread->index, stack = event->stack;
	uint32_t owner = helpers_owner(helped->helpers, index);

	if (stack == STACK_NONE && event->event.id == EVT_gpu_call)
		stack = open_stack(helped, index);
	if (owner == NEST_NONE || owner >= helped->thread_room)
		return stack;
	return helped_stacks_join(helped, wait_of(helped, event->process, owner), stack);
}

static void helped_stacks_start(void *state, struct run *run, const void *options)
{
	struct helped_stacks *helped = state;

	(void)options;
	helped->source = run_source(run);
	helped->helpers = helpers_want(run, NULL);
	map_init(&helped->engine);
	map_init(&helped->joined);
	run_reads_stacks(run);
	run_reads(run, EVT_malloc, 0, helped_stacks_take_block, helped);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin_ex, scope),
			 helped_stacks_take, NULL, helped);
	run_seeks(run, state);
}

/* After lost events, an earlier operator is not the last one any more. */
static void helped_stacks_cut(void *state, const struct cut *cut)
{
	struct helped_stacks *helped = state;

	if (cut->thread && cut->thread->index < helped->thread_room)
		helped->thread[cut->thread->index] = (struct helped_thread){ STACK_NONE };
}

static void helped_stacks_release(void *state)
{
	struct helped_stacks *helped = state;

	map_release(&helped->engine);
	map_release(&helped->joined);
	free(helped->thread);
}

static const struct analysis_kind analysis_helped_stacks = {
	.name = "helped stacks",
	.state_bytes = sizeof(struct helped_stacks),
	.start = helped_stacks_start,
	.cut = helped_stacks_cut,
	.release = helped_stacks_release,
};

struct helped_stacks *helped_stacks_want(struct run *run)
{
	return run_want(run, &analysis_helped_stacks, NULL);
}
