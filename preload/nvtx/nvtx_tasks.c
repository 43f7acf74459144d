/* SPDX-License-Identifier: MIT */
/*
 * Levels of tasks that take turns on a thread, for capture ranges and steps: a pop closes what its
 * own task has pushed last. One table for all threads, hashed by thread, domain and task. An entry
 * belongs to one thread until its depth returns to 0. Used only if ranges are captured or end
 * steps, and tasks are known.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/nvtx/nvtx.h"
#include "preload/record/task.h"

/* a power of two; if more are open at once, they are distinguished by thread only */
#define LEVELS 256u
#define PROBES 16u

static struct task_level {
	struct nvtx_level level; /* first member: it is what others see */
	_Atomic uint64_t key;    /* 0: free */
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

void nvtx_task_level_end(struct nvtx_level *level)
{
	atomic_store_explicit(&((struct task_level *)level)->key, 0, memory_order_release);
}
