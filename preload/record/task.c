/* SPDX-License-Identifier: MIT */
/*
 * Compares the thread's current context, or the start of its Python stack if there are greenlets,
 * with the last recorded task. A change is put into the ring as python_task.
 */
#include "preload/record/task.h"

#include "preload/record/foreign_generators.h"

#define LINKS_MAX 100000u   /* blocks or frames of a stack */
#define GENERATORS_MAX 256u /* that run one within the other, coroutines too */

void *(*_Atomic task_thread)(void);
struct task_layout task_layout;
_Atomic bool task_greenlets, task_seen;

struct task {
	uint64_t now, outer; /* outer: the task that it runs within, 0: none */
	uint64_t generator;
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
		return (struct task){ .now = context, .outer = is_entered(outer) ? outer : 0 };
	}
	if (atomic_load_explicit(&task_greenlets, memory_order_relaxed))
		return (struct task){ .now = stack_of(thread) };
	return (struct task){ 0 };
}

/*
 * Returns the generator that the exception state is of; 0: a coroutine's, or nothing known.
 * Whatever has pushed it, the words before it are mapped: it lies within an object.
 */
static uint64_t generator_at(uint64_t state)
{
	uint64_t generator = state - task_layout.generator;
	uint64_t type = task_word_at(generator + task_layout.type);

	if (type == task_layout.generator_type[0] || type == task_layout.generator_type[1])
		return generator;
	if (type == task_layout.coroutine_type)
		return 0;
	generator = state - task_layout.cython_generator;
	type = task_word_at(generator + task_layout.type);
	return foreign_generators_have(type, task_layout.type) ? generator : 0;
}

/* The outermost exception state is the thread's own. */
static uint64_t generator_of(uint64_t thread)
{
	uint64_t own = thread + task_layout.own_exception, at;

	if (!task_layout.generator)
		return 0;
	at = task_word_at(thread + task_layout.exception);
	for (unsigned int i = 0; at && at != own && i < GENERATORS_MAX; i++) {
		uint64_t generator = generator_at(at);

		if (generator)
			return generator;
		at = task_word_at(at + task_layout.exception_outer);
	}
	return 0;
}

static uint64_t this_thread(void)
{
	void *(*of)(void) = atomic_load_explicit(&task_thread, memory_order_acquire);

	return of ? (uint64_t)(uintptr_t)of() : 0;
}

uint64_t task_now(void)
{
	uint64_t thread = this_thread();

	return thread ? task_of(thread).now : 0;
}

uint64_t task_generator(void)
{
	uint64_t thread = this_thread();

	return thread ? generator_of(thread) : 0;
}

static void task_tell(struct recorder_lane *lane, uint64_t ticks, struct task task)
{
	const uint64_t field[3] = { task.now, task.outer, task.generator };

	if (task.now == recorder_self.task && task.generator == recorder_self.generator)
		return;
	if (!recorder_put(lane, EVT_python_task, ticks, field, 3))
		return;
	recorder_self.task = task.now;
	recorder_self.generator = task.generator;
	if (task.now && !atomic_load_explicit(&task_seen, memory_order_relaxed))
		atomic_store_explicit(&task_seen, true, memory_order_relaxed);
}

void task_look_now(struct recorder_lane *lane, uint64_t ticks)
{
	uint64_t thread = this_thread();
	struct task task = thread ? task_of(thread) : (struct task){ 0 };

	task.generator = recorder_self.generator;
	task_tell(lane, ticks, task);
}

void task_look_for_generator_now(struct recorder_lane *lane, uint64_t ticks)
{
	uint64_t thread = this_thread();
	struct task task = thread ? task_of(thread) : (struct task){ 0 };

	task.generator = thread ? generator_of(thread) : 0;
	task_tell(lane, ticks, task);
}
