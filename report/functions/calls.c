/* SPDX-License-Identifier: MIT */
/* See calls.h. */
#include "report/functions/calls.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define LOOKS_MAX 4096u /* calls, for one that ends below others */

void calls_init(struct calls *calls)
{
	*calls = (struct calls){ .row_count = 0 };
	map_init(&calls->keys);
	map_init(&calls->rows);
	map_init(&calls->pairs);
}

void calls_release(struct calls *calls)
{
	for (size_t i = 0; i < calls->thread_room; i++) {
		free(calls->thread[i].open);
		free(calls->thread[i].row_level);
		free(calls->thread[i].pair_level);
	}
	free(calls->thread);
	free(calls->row);
	free(calls->pair);
	map_release(&calls->keys);
	map_release(&calls->rows);
	map_release(&calls->pairs);
}

static struct call_thread *thread_of(struct calls *calls, uint32_t thread)
{
	calls->thread = memory_room(calls->thread, thread, &calls->thread_room,
				    sizeof(*calls->thread));
	return &calls->thread[thread];
}

/* --- rows and pairs --- */

static uint64_t number_of_key(struct calls *calls, uint64_t key)
{
	bool added;
	struct map_entry *entry;

	if (!key)
		return 0;
	entry = map_put(&calls->keys, key, &added);
	if (added)
		entry->value = ++calls->key_count;
	return entry->value;
}

static uint32_t row_of(struct calls *calls, uint64_t key, uint32_t function)
{
	uint64_t number = number_of_key(calls, key);
	bool added;
	struct map_entry *entry = map_put(&calls->rows, (number << 32 | function) + 1, &added);

	if (!added)
		return (uint32_t)entry->value;
	entry->value = calls->row_count;
	calls->row = memory_room(calls->row, calls->row_count, &calls->row_room,
				 sizeof(*calls->row));
	calls->row[calls->row_count] = (struct call_row){ .key = key, .function = function };
	return (uint32_t)calls->row_count++;
}

static uint32_t pair_of(struct calls *calls, uint32_t caller, uint32_t callee)
{
	bool added;
	struct map_entry *entry = map_put(&calls->pairs, ((uint64_t)caller << 32 | callee) + 1,
					  &added);

	if (!added)
		return (uint32_t)entry->value;
	entry->value = calls->pair_count;
	calls->pair = memory_room(calls->pair, calls->pair_count, &calls->pair_room,
				  sizeof(*calls->pair));
	calls->pair[calls->pair_count] = (struct call_pair){ .caller = caller, .callee = callee };
	return (uint32_t)calls->pair_count++;
}

static void level_up(uint32_t **level, size_t *room, uint32_t index)
{
	*level = memory_room(*level, index, room, sizeof(**level));
	(*level)[index]++;
}

/* --- calls --- */

void calls_enter(struct calls *calls, const struct call *call)
{
	struct call_thread *thread = thread_of(calls, call->thread);
	uint32_t around = thread->count ? thread->open[thread->count - 1].row : CALL_NONE;
	struct open_call open = { .start_ns = call->time_ns,
				  .function = call->function,
				  .row = CALL_NONE,
				  .pair = CALL_NONE };

	if (call->counts) {
		open.row = row_of(calls, call->key, call->function);
		level_up(&thread->row_level, &thread->row_room, open.row);
	}
	if (call->counts && around != CALL_NONE) {
		open.pair = pair_of(calls, around, open.row);
		level_up(&thread->pair_level, &thread->pair_room, open.pair);
	}
	thread->open = memory_room(thread->open, thread->count, &thread->room,
				   sizeof(*thread->open));
	thread->open[thread->count++] = open;
}

/* As cProfile's Stop(): the outermost of a recursion has the time of all. */
static void count(struct call_counts *counts, uint32_t *level, const struct open_call *open,
		  uint64_t total_ns, enum nest_ending how)
{
	bool is_outermost = --*level == 0;

	counts->calls++;
	counts->recursive += !is_outermost;
	counts->open += how != NEST_ENDS;
	if (how == NEST_RUNS_ON)
		return;
	counts->total_ns += is_outermost ? total_ns : 0;
	counts->self_ns += total_ns > open->children_ns ? total_ns - open->children_ns : 0;
}

static void end_innermost(struct calls *calls, struct call_thread *thread, uint64_t time_ns,
			  enum nest_ending how)
{
	const struct open_call *open = &thread->open[--thread->count];
	uint64_t total_ns = time_ns > open->start_ns ? time_ns - open->start_ns : 0;

	if (thread->count)
		thread->open[thread->count - 1].children_ns += total_ns;
	if (open->row != CALL_NONE)
		count(&calls->row[open->row].counts, &thread->row_level[open->row], open, total_ns,
		      how);
	if (open->pair != CALL_NONE)
		count(&calls->pair[open->pair].counts, &thread->pair_level[open->pair], open,
		      total_ns, how);
}

/* How many calls are above the innermost one of that function; SIZE_MAX: it is not open. */
static size_t find_above(const struct call_thread *thread, uint32_t function)
{
	for (size_t above = 0; above < thread->count && above < LOOKS_MAX; above++)
		if (thread->open[thread->count - 1 - above].function == function)
			return above;
	return SIZE_MAX;
}

void calls_return(struct calls *calls, const struct call *call)
{
	struct call_thread *thread = thread_of(calls, call->thread);
	size_t above = find_above(thread, call->function);

	if (above == SIZE_MAX) {
		calls->unmatched++;
		return;
	}
	calls->out_of_order += above;
	for (size_t i = 0; i <= above; i++)
		end_innermost(calls, thread, call->time_ns, NEST_ENDS);
}

void calls_cut(struct calls *calls, uint32_t thread, uint64_t time_ns, enum nest_ending how)
{
	if (thread >= calls->thread_room)
		return;
	while (calls->thread[thread].count)
		end_innermost(calls, &calls->thread[thread], time_ns, how);
}
