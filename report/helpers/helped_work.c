/* SPDX-License-Identifier: MIT */
/*
 * See helped_work.h. At each operator event of a helper, what its counters gained since its last
 * one is added to `done` of its owner. An answer is the thread's own counters and its `done`. Nothing is followed before
 * the first look at any thread: most recordings have no range that asks for it, and then it would cost
 * a tenth of the reading.
 */
#include "report/helpers/helped_work.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/helpers/helpers.h"

struct helped_thread {
	struct work seen; /* of it as a helper: what it had done at its last operator */
	uint32_t owner;   /* for which it worked then, + 1 */
	uint64_t owner_moves;
	struct work done; /* for it as an owner, by others */
};

struct helped_work {
	const struct helpers *helpers;
	struct works *works;
	struct source *source;
	bool is_watched; /* somebody has looked */
	struct helped_thread *thread;
	size_t thread_room;
};

static struct helped_thread *thread_at(struct helped_work *helped, uint32_t thread)
{
	helped->thread = memory_room(helped->thread, thread, &helped->thread_room,
				     sizeof(*helped->thread));
	return &helped->thread[thread];
}

/* A link that has just begun has nothing yet, but for what its outermost operator has done. */
static bool is_new(const struct helper_thread *at, const struct helped_thread *thread,
		   uint32_t owner)
{
	return (thread->owner != owner + 1 || thread->owner_moves != at->owner_moves) &&
	       at->depth <= 1;
}

static void take(void *state, const struct source_event *event, bool counts)
{
	struct helped_work *helped = state;
	uint32_t index = event->thread->index, owner;
	struct helped_thread *thread;
	struct work now, more;

	(void)counts;
	if (!helped->is_watched || helpers_is_nobodys(helped->helpers, index))
		return;
	owner = helpers_owner(helped->helpers, index);
	if (owner == NEST_NONE && index < helped->helpers->thread_room &&
	    helped->helpers->thread[index].runs_own)
		return;
	thread = thread_at(helped, index);
	now = works_of_thread(helped->works, event->thread);
	more = work_between(&thread->seen, &now);
	if (owner != NEST_NONE && !is_new(&helped->helpers->thread[index], thread, owner)) {
		work_add(&thread_at(helped, owner)->done, &more);
		thread = &helped->thread[index];
	}
	thread->seen = now;
	thread->owner = owner + 1;
	thread->owner_moves = owner == NEST_NONE ? 0 : helped->helpers->thread[index].owner_moves;
}

/* All threads as they are now: what they did before is nobody's. */
static void watch(struct helped_work *helped)
{
	struct source_thread *const *thread;
	size_t count = source_threads(helped->source, &thread);

	helped->is_watched = true;
	for (size_t i = 0; i < count; i++) {
		uint32_t index = thread[i]->index, owner = helpers_owner(helped->helpers, index);
		struct helped_thread *at = thread_at(helped, index);

		at->seen = works_of_thread(helped->works, thread[i]);
		at->owner = owner + 1;
		at->owner_moves = owner == NEST_NONE ? 0
						     : helped->helpers->thread[index].owner_moves;
	}
}

static void start(void *state, struct run *run, const void *options)
{
	struct helped_work *helped = state;

	helped->source = run_source(run);
	helped->works = works_want(run, *(const uint32_t *)options);
	helped->helpers = helpers_want(run, NULL);
	helpers_read(run, 0, take, helped);
}

static void release(void *state)
{
	free(((struct helped_work *)state)->thread);
}

static const struct analysis_kind analysis_helped_work = {
	.name = "helped work",
	.state_bytes = sizeof(struct helped_work),
	.options_bytes = sizeof(uint32_t),
	.start = start,
	.release = release,
};

struct helped_work *helped_work_want(struct run *run, uint32_t counters)
{
	return counters ? run_want(run, &analysis_helped_work, &counters) : NULL;
}

struct work helped_work_of_thread(struct helped_work *helped, const struct source_thread *thread)
{
	struct work work = { 0 };

	if (!helped)
		return work;
	if (!helped->is_watched)
		watch(helped);
	work = works_of_thread(helped->works, thread);
	if (thread->index < helped->thread_room)
		work_add(&work, &helped->thread[thread->index].done);
	return work;
}
