/* SPDX-License-Identifier: MIT */
/*
 * A stack is an array of open calls. A recursion level for each row and pair identifies the
 * outermost call, and only its time counts. While a thread runs another stack, the clock of this
 * one stands still.
 */
#include "report/functions/calls.h"

#include <stdlib.h>

#include "report/base/memory.h"

#define LOOKS_MAX 4096u /* calls examined for a return that is not of the innermost call */

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
		for (size_t j = 0; j < calls->thread[i].stack_count; j++) {
			free(calls->thread[i].stack[j].open);
			free(calls->thread[i].stack[j].row_level);
			free(calls->thread[i].stack[j].pair_level);
		}
		free(calls->thread[i].stack);
	}
	free(calls->thread);
	free(calls->row);
	free(calls->pair);
	map_release(&calls->keys);
	map_release(&calls->rows);
	map_release(&calls->pairs);
}

static struct call_thread *calls_thread_of(struct calls *calls, uint32_t thread)
{
	calls->thread = memory_room(calls->thread, thread, &calls->thread_room,
				    sizeof(*calls->thread));
	return &calls->thread[thread];
}

/* --- stacks --- */

static size_t calls_stack_add(struct call_thread *thread, uint64_t id)
{
	thread->stack = memory_room(thread->stack, thread->stack_count, &thread->stack_room,
				    sizeof(*thread->stack));
	thread->stack[thread->stack_count] = (struct call_stack){ .id = id };
	return thread->stack_count++;
}

static struct call_stack *stack_now(struct call_thread *thread)
{
	if (!thread->stack_count)
		(void)calls_stack_add(thread, 0);
	return &thread->stack[thread->now];
}

/* A stack with no open call is reused as a new one. */
static size_t stack_find(struct call_thread *thread, uint64_t id)
{
	size_t empty = SIZE_MAX;

	for (size_t i = 0; i < thread->stack_count; i++) {
		if (thread->stack[i].id == id)
			return i;
		if (!thread->stack[i].count)
			empty = i;
	}
	if (empty == SIZE_MAX)
		return calls_stack_add(thread, id);
	thread->stack[empty].id = id;
	thread->stack[empty].left_ns = 0;
	thread->stack[empty].still_ns = 0;
	return empty;
}

/* The running stack gets that id. An older stack with the id has ended. */
static void stack_name(struct call_thread *thread, uint64_t id)
{
	for (size_t i = 0; id && i < thread->stack_count; i++)
		if (i == thread->now)
			thread->stack[i].id = id;
		else if (thread->stack[i].id == id)
			thread->stack[i].id = 0;
}

void calls_switch(struct calls *calls, uint32_t index, uint64_t time_ns, uint64_t before,
		  uint64_t now)
{
	struct call_thread *thread = calls_thread_of(calls, index);
	struct call_stack *stack = stack_now(thread);

	stack_name(thread, before);
	if (stack->id == now)
		return;
	calls->switches++;
	stack->left_ns = time_ns;
	thread->now = stack_find(thread, now);
	stack = stack_now(thread);
	if (stack->left_ns && time_ns > stack->left_ns)
		stack->still_ns += time_ns - stack->left_ns;
	stack->left_ns = 0;
}

/* Returns the time without the stretches in which the stack stood still. */
static uint64_t stack_time_ns(const struct call_stack *stack, uint64_t time_ns)
{
	uint64_t still_ns = stack->still_ns;

	if (stack->left_ns && time_ns > stack->left_ns)
		still_ns += time_ns - stack->left_ns;
	return time_ns > still_ns ? time_ns - still_ns : 0;
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

static uint32_t calls_row_of(struct calls *calls, uint64_t key, uint32_t function)
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
	struct call_thread *thread = calls_thread_of(calls, call->thread);
	struct call_stack *stack = stack_now(thread);
	uint32_t around = stack->count ? stack->open[stack->count - 1].row : CALL_NONE;
	struct open_call open = { .start_ns = stack_time_ns(stack, call->time_ns),
				  .function = call->function,
				  .row = CALL_NONE,
				  .pair = CALL_NONE };

	if (call->counts) {
		open.row = calls_row_of(calls, call->key, call->function);
		level_up(&stack->row_level, &stack->row_room, open.row);
	}
	if (call->counts && around != CALL_NONE) {
		open.pair = pair_of(calls, around, open.row);
		level_up(&stack->pair_level, &stack->pair_room, open.pair);
	}
	thread->has_called = true;
	stack->open = memory_room(stack->open, stack->count, &stack->room, sizeof(*stack->open));
	stack->open[stack->count++] = open;
}

/* As in cProfile's Stop(): the outermost call of a recursion has the time of all. */
static void count_of_calls(struct call_counts *counts, uint32_t *level,
			   const struct open_call *open, uint64_t total_ns, enum nest_ending how)
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

static void end_innermost(struct calls *calls, struct call_stack *stack, uint64_t real_ns,
			  enum nest_ending how)
{
	const struct open_call *open = &stack->open[--stack->count];
	uint64_t time_ns = stack_time_ns(stack, real_ns);
	uint64_t total_ns = time_ns > open->start_ns ? time_ns - open->start_ns : 0;

	if (stack->count)
		stack->open[stack->count - 1].children_ns += total_ns;
	if (open->row != CALL_NONE)
		count_of_calls(&calls->row[open->row].counts, &stack->row_level[open->row], open,
			       total_ns, how);
	if (open->pair != CALL_NONE)
		count_of_calls(&calls->pair[open->pair].counts, &stack->pair_level[open->pair],
			       open, total_ns, how);
}

/* Returns how many calls are above the innermost one of that function; SIZE_MAX: it is not open. */
static size_t find_above(const struct call_stack *stack, uint32_t function)
{
	for (size_t above = 0; above < stack->count && above < LOOKS_MAX; above++)
		if (stack->open[stack->count - 1 - above].function == function)
			return above;
	return SIZE_MAX;
}

void calls_return(struct calls *calls, const struct call *call)
{
	struct call_thread *thread = calls_thread_of(calls, call->thread);
	struct call_stack *stack = stack_now(thread);
	size_t above = find_above(stack, call->function);

	if (above == SIZE_MAX) {
		calls->unmatched++;
		return;
	}
	calls->out_of_order += above;
	for (size_t i = 0; i <= above; i++)
		end_innermost(calls, stack, call->time_ns, NEST_ENDS);
}

void calls_cut(struct calls *calls, uint32_t thread, uint64_t time_ns, enum nest_ending how)
{
	struct call_thread *of;

	if (thread >= calls->thread_room)
		return;
	of = &calls->thread[thread];
	for (size_t i = 0; i < of->stack_count; i++)
		while (of->stack[i].count)
			end_innermost(calls, &of->stack[i], time_ns, how);
}
