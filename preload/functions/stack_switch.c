/* SPDX-License-Identifier: MIT */
/*
 * A table by thread state has the beginning of the stack that the thread ran last. If the beginning
 * differs, a switch is recorded. Two threads may share a slot; then the previous stack is recorded
 * as 0, unknown.
 */
#include "preload/functions/stack_switch.h"

#include "preload/base/symbols.h"
#include "preload/functions/call_types.h"
#include "preload/python/thread_state.h"
#include "preload/record/recorder.h"

#define THREADS 1024u /* remembered thread states, by their address */
#define LINKS_MAX 100000u

struct stack_switch stack_switch;

static struct {
	uint64_t thread, first;
} known[THREADS];

static void stack_switch_record(uint64_t before, uint64_t now)
{
	const uint64_t field[] = { now, before };
	struct recorder_lane *lane = recorder_enter(EVT_FAMILY_functions, RECORDER_IN_RECORD);

	if (!lane)
		return;
	(void)recorder_put(lane, EVT_function_stack, recorder_now(), field, 2);
	recorder_leave(lane);
}

static size_t stack_switch_slot_of(uint64_t thread)
{
	return (thread >> 4 ^ thread >> 14) % THREADS;
}

/* Records a switch if the thread did not run the stack that begins with `first`. */
static void settle(uint64_t thread, uint64_t first)
{
	size_t slot = stack_switch_slot_of(thread);

	if (known[slot].thread == thread && known[slot].first != first)
		stack_switch_record(known[slot].first, first);
	else if (known[slot].thread && known[slot].thread != thread)
		/* the thread may have run another stack before its entry was replaced */
		stack_switch_record(0, first);
	known[slot].thread = thread;
	known[slot].first = first;
}

static uint64_t outermost(uint64_t at, size_t link_at)
{
	uint64_t next;

	for (unsigned int i = 0; i < LINKS_MAX; i++) {
		next = *(const uint64_t *)(uintptr_t)(at + link_at);
		if (!next)
			break;
		at = next;
	}
	return at;
}

void stack_switch_see(uint64_t thread, uint64_t mark)
{
	stack_switch.thread = thread;
	stack_switch.mark = mark;
	if (mark)
		/* a block begins with a pointer to the previous one */
		settle(thread, outermost(mark, 0));
}

void stack_switch_look_at(void *frame, bool begins, bool ends)
{
	uint64_t at = (uint64_t)(uintptr_t)frame, thread, back;

	if (!stack_switch.back_at)
		return;
	thread = (uint64_t)(uintptr_t)stack_switch.current();
	back = *(const uint64_t *)(uintptr_t)(at + stack_switch.back_at);
	if (begins && !back && !stack_switch.mark && thread == stack_switch.thread)
		known[stack_switch_slot_of(thread)]
			.first = at; /* another outermost frame of the same stack */
	else if (thread != stack_switch.thread || (begins ? back : at) != stack_switch.mark)
		settle(thread, outermost(at, stack_switch.back_at));
	stack_switch.thread = thread;
	stack_switch.mark = ends ? back : at;
}

void stack_switch_begin(void)
{
	unsigned int minor = python_minor();
	void *current = symbols_find_loaded("PyThreadState_GetUnchecked");

	if (!current)
		current = symbols_find_loaded("_PyThreadState_UncheckedGet");
	if (!current || call_types.type_word != 1)
		return;
	stack_switch.current = (void *(*)(void))current;
	if (minor >= 11)
		stack_switch.chunk_at = python_chunk_at(minor);
	else
		/* PyFrameObject: head, size, f_back */
		stack_switch.back_at = (call_types.type_word + 2) * sizeof(void *);
}
