/* SPDX-License-Identifier: MIT */
/*
 * At each operator event of a helper, the increase of its counters since its previous operator
 * event is added to `done` of its owner. The answer for a thread is its own counters plus its
 * `done`. Nothing is followed before the first request: most recordings have no range that needs
 * it, and it costs a tenth of the reading time.
 */
#include "report/helpers/helped_work.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/helpers/helpers.h"

struct helped_thread {
	struct work seen; /* for a helper: its counters at its last operator */
	uint32_t owner;   /* the owner for which it worked then, + 1 */
	uint64_t owner_moves;
	struct work done; /* for an owner: the work of others on its behalf */
};

struct helped_work {
	const struct helpers *helpers;
	struct works *works;
	struct source *source;
	bool is_watched; /* there was a request */
	struct helped_thread *thread;
	size_t thread_room;
};

static struct helped_thread *helped_work_thread_at(struct helped_work *helped, uint32_t thread)
{
	helped->thread = memory_room(helped->thread, thread, &helped->thread_room,
				     sizeof(*helped->thread));
	return &helped->thread[thread];
}

/* A link that has just begun has no work yet, except that of its outermost operator. */
static bool is_new(const struct helper_thread *at, const struct helped_thread *thread,
		   uint32_t owner)
{
	return (thread->owner != owner + 1 || thread->owner_moves != at->owner_moves) &&
	       at->depth <= 1;
}

static void helped_work_take(void *state, const struct source_event *event, bool counts)
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
	thread = helped_work_thread_at(helped, index);
	now = works_of_thread(helped->works, event->thread);
	more = work_between(&thread->seen, &now);
	if (owner != NEST_NONE && !is_new(&helped->helpers->thread[index], thread, owner)) {
		work_add(&helped_work_thread_at(helped, owner)->done, &more);
		thread = &helped->thread[index];
	}
	thread->seen = now;
	thread->owner = owner + 1;
	thread->owner_moves = owner == NEST_NONE ? 0 : helped->helpers->thread[index].owner_moves;
}

/* Notes the counters of all threads as they are now: earlier work belongs to nobody. */
static void watch(struct helped_work *helped)
{
	struct source_thread *const *thread;
	size_t count = source_threads(helped->source, &thread);

	helped->is_watched = true;
	for (size_t i = 0; i < count; i++) {
		uint32_t index = thread[i]->index, owner = helpers_owner(helped->helpers, index);
		struct helped_thread *at = helped_work_thread_at(helped, index);

		at->seen = works_of_thread(helped->works, thread[i]);
		at->owner = owner + 1;
		at->owner_moves = owner == NEST_NONE ? 0
						     : helped->helpers->thread[index].owner_moves;
	}
}

static void helped_work_start(void *state, struct run *run, const void *options)
{
	struct helped_work *helped = state;

	helped->source = run_source(run);
	helped->works = works_want(run, *(const uint32_t *)options);
	helped->helpers = helpers_want(run, NULL);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, 0, helped_work_take, helped_work_take,
			 helped);
	run_seeks(run, state);
}

static void helped_work_release(void *state)
{
	free(((struct helped_work *)state)->thread);
}

static const struct analysis_kind analysis_helped_work = {
	.name = "helped work",
	.state_bytes = sizeof(struct helped_work),
	.options_bytes = sizeof(uint32_t),
	.start = helped_work_start,
	.release = helped_work_release,
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
