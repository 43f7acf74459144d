/* SPDX-License-Identifier: MIT */
/*
 * Compares the thread's current context, or the start of its Python stack if there are greenlets,
 * with the last recorded task. A change is put into the ring as python_task.
 */
#include "preload/record/task.h"

#include <stddef.h>

#define LINKS_MAX 100000u /* limit for the blocks or frames of a stack */

void *(*_Atomic task_thread)(void);
struct task_layout task_layout;
_Atomic bool task_greenlets, task_seen;

struct task {
	uint64_t now, outer; /* outer: the task that contains it, 0: none */
};

static inline uint64_t task_word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

static uint64_t last_of(uint64_t at, unsigned int link)
{
	for (unsigned int i = 0; at && i < LINKS_MAX; i++) {
		uint64_t next = task_word_at(at + link);

		if (!next)
			break;
		at = next;
	}
	return at;
}

/* Returns the address where the thread's Python stack begins. */
static uint64_t stack_of(uint64_t thread)
{
	if (task_layout.chunk)
		return last_of(task_word_at(thread + task_layout.chunk), 0);
	if (task_layout.back)
		return last_of(task_word_at(thread + task_layout.frame), task_layout.back);
	return 0;
}

static inline bool is_entered(uint64_t context)
{
	return context && *(const uint8_t *)(uintptr_t)(context + task_layout.entered);
}

static struct task task_of(uint64_t thread)
{
	uint64_t context = task_word_at(thread + task_layout.context), outer;

	if (is_entered(context)) {
		outer = task_word_at(context + task_layout.outer);
		return (struct task){ context, is_entered(outer) ? outer : 0 };
	}
	if (atomic_load_explicit(&task_greenlets, memory_order_relaxed))
		return (struct task){ stack_of(thread), 0 };
	return (struct task){ 0, 0 };
}

uint64_t task_now(void)
{
	void *(*of)(void) = atomic_load_explicit(&task_thread, memory_order_acquire);
	uint64_t thread = of ? (uint64_t)(uintptr_t)of() : 0;

	return thread ? task_of(thread).now : 0;
}

void task_look_now(struct recorder_lane *lane, uint64_t ticks)
{
	void *(*of)(void) = atomic_load_explicit(&task_thread, memory_order_acquire);
	uint64_t thread = (uint64_t)(uintptr_t)of();
	struct task task = thread ? task_of(thread) : (struct task){ 0, 0 };
	const uint64_t field[2] = { task.now, task.outer };

	if (task.now == recorder_self.task || !recorder_put(lane, EVT_python_task, ticks, field, 2))
		return;
	recorder_self.task = task.now;
	if (!atomic_load_explicit(&task_seen, memory_order_relaxed))
		atomic_store_explicit(&task_seen, true, memory_order_relaxed);
}
