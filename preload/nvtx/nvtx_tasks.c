/* SPDX-License-Identifier: MIT */
/*
 * Levels of tasks that take turns on a thread, for capture ranges and steps: a pop closes what its
 * own task has pushed last, of that what the same generator has pushed, if anything. A table of all
 * threads, hashed by thread, domain and task; an entry belongs to one thread until its depth is 0
 * again. Only where ranges are captured, or end steps, and tasks are known.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/nvtx/nvtx.h"
#include "preload/record/task.h"

/* a power of two; if more are open at once, they are distinguished by thread only */
#define LEVELS 256u
#define PROBES 16u
/* ranges of a level that are told apart by generator; deeper ones are popped in their order */
#define OPEN_MAX 4u
#define NUMBERS 0x4000u

static struct task_level {
	struct nvtx_level level; /* first member: it is what others see */
	_Atomic uint64_t key;    /* 0: free */
	uint16_t pushed;         /* numbers given out */
	struct task_open {
		uint64_t generator;
		uint16_t number;
	} open[OPEN_MAX];
} levels[LEVELS];

static _Atomic uint32_t threads;

static uint64_t key_of(const struct nvtx_level *level)
{
	uint64_t key = task_now();

	if (!nvtx_self.number)
		nvtx_self.number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) + 1;
	key ^= (uint64_t)nvtx_self.number << 32 | (uint64_t)(level - nvtx_self.level);
	key *= 0x9e3779b97f4a7c15ull;
	return (key ^ key >> 29) | 1;
}

struct nvtx_level *nvtx_task_level(const struct nvtx_level *level, bool begins)
{
	uint64_t key = key_of(level), none = 0;
	struct task_level *free = NULL;

	for (unsigned int i = 0; i < PROBES; i++) {
		struct task_level *at = &levels[((key >> 20) + i) % LEVELS];
		uint64_t is = atomic_load_explicit(&at->key, memory_order_acquire);

		if (is == key)
			return &at->level;
		if (!is && !free)
			free = at;
	}
	/* another thread is rarely faster, and then the thread's own level suffices */
	if (!begins || !free || !atomic_compare_exchange_strong(&free->key, &none, key))
		return NULL;
	free->level.depth = 0;
	free->level.captures = 0;
	return &free->level;
}

void nvtx_task_push(struct nvtx_level *level)
{
	struct task_level *task = (struct task_level *)level;

	if ((uint32_t)level->depth < OPEN_MAX)
		task->open[level->depth] = (struct task_open){
			task_generator(), (uint16_t)(task->pushed++ % NUMBERS)
		};
}

/* Takes the range at `depth` out of its place and puts it on top. */
static void raise_open(struct task_level *task, unsigned int depth, unsigned int top)
{
	struct task_open raised = task->open[depth];
	uint64_t captures = task->level.captures, below = (1ull << depth) - 1;
	uint64_t raised_captures = captures >> depth & 1;

	for (unsigned int i = depth; i < top; i++)
		task->open[i] = task->open[i + 1];
	task->open[top] = raised;
	task->level.captures = (captures & below) | (captures >> 1 & ~below) |
			       raised_captures << top;
}

void nvtx_task_choose(struct nvtx_level *level)
{
	struct task_level *task = (struct task_level *)level;
	unsigned int top = (unsigned int)level->depth - 1;
	uint64_t generator = task_generator();

	if (top >= OPEN_MAX)
		return;
	for (unsigned int i = top + 1; i-- > 0;)
		if (task->open[i].generator == generator) {
			raise_open(task, i, top);
			return;
		}
}

uint16_t nvtx_task_number(const struct nvtx_level *level)
{
	const struct task_level *task = (const struct task_level *)level;
	uint32_t depth = (uint32_t)level->depth;

	return depth < OPEN_MAX ? task->open[depth].number : (uint16_t)(NUMBERS | depth % NUMBERS);
}

void nvtx_task_level_end(struct nvtx_level *level)
{
	atomic_store_explicit(&((struct task_level *)level)->key, 0, memory_order_release);
}
