/* SPDX-License-Identifier: MIT */
/*
 * Each thread has at most one collection under way, since collections do not nest. The key of a
 * collection is that of its begin.
 */
#include "report/gc/gc_events.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/collecting.h"
#include "report/scopes/cut.h"

/* Of a thread. */
struct collection {
	uint64_t key[GROUP_WORDS];
};

struct collections_state {
	struct collections collections; /* must be first: others see only this part */
	struct source *source;
	enum key_id by;
	struct collecting collecting;
	struct collection *thread; /* by index */
	size_t room;
};

static struct collection *collection_at(struct collections_state *mine, uint32_t thread)
{
	mine->thread = memory_room(mine->thread, thread, &mine->room, sizeof(*mine->thread));
	return &mine->thread[thread];
}

static void gc_events_put_key(struct collections_state *mine, const struct source_event *event,
			      uint64_t key[GROUP_WORDS])
{
	const struct evt_gc_begin *begin = EVENT_AS(gc_begin, &event->event);

	if (mine->collections.key.kind) {
		key[COLLECTIONS_KEY] = key_of(&mine->collections.key, event);
	} else if (mine->by == BY_gc_where) {
		key[COLLECTIONS_KEY] = gc_stacks_take(&mine->collections.stacks, mine->source,
						      event);
	} else {
		key[COLLECTIONS_KEY] = begin->generation;
	}
}

static void gc_events_take_frame(void *state, const struct source_event *event, bool counts)
{
	struct collections_state *mine = state;

	(void)counts;
	gc_stacks_add(&mine->collections.stacks, mine->source, event);
}

static void gc_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct collections_state *mine = state;
	struct collection *collection = collection_at(mine, event->thread->index);

	collecting_begin(&mine->collecting, event, counts);
	*collection = (struct collection){ 0 };
	gc_events_put_key(mine, event, collection->key);
}

static void gc_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct collections_state *mine = state;
	struct collection *collection = collection_at(mine, event->thread->index);
	const struct evt_gc_end *end = EVENT_AS(gc_end, &event->event);
	struct collected collected;
	double *sum;

	(void)counts;
	if (!collecting_end(&mine->collecting, event, &collected) || !collected.counts)
		return;
	sum = group_sums(groups_add(&mine->collections.groups, collection->key,
				    &(struct group_call){ .duration_ns = collected.duration_ns }));
	sum[COLLECTIONS_FREED] += (double)end->collected;
	sum[COLLECTIONS_UNCOLLECTABLE] += (double)end->uncollectable;
}

static void gc_events_start(void *state, struct run *run, const void *options)
{
	struct collections_state *mine = state;

	mine->by = ((const struct collections_options *)options)->by;
	mine->source = run_source(run);
	mine->collections.key = run_key(run, mine->by);
	groups_init(&mine->collections.groups);
	gc_stacks_init(&mine->collections.stacks);
	if (mine->by == BY_gc_where)
		run_reads(run, EVT_gc_frame, FIELDS_ALL, gc_events_take_frame, mine);
	run_reads(run, EVT_gc_begin, FIELDS_ALL, gc_events_take_begin, mine);
	run_reads(run, EVT_gc_end, FIELDS_ALL, gc_events_take_end, mine);
	if (mine->by != BY_gc_where) /* its frames precede the begin */
		run_enters(run, mine);
	run_leaves(run, mine);
}

static void gc_events_cut(void *state, const struct cut *cut)
{
	struct collections_state *mine = state;

	if (!cut->thread)
		return;
	gc_stacks_forget(&mine->collections.stacks, cut->thread->index);
	mine->collections.open += collecting_cut(&mine->collecting, cut->thread->index);
}

static void gc_events_release(void *state)
{
	struct collections_state *mine = state;

	groups_release(&mine->collections.groups);
	gc_stacks_release(&mine->collections.stacks);
	collecting_release(&mine->collecting);
	free(mine->thread);
}

const struct analysis_kind analysis_collections = {
	.name = "collections",
	.state_bytes = sizeof(struct collections_state),
	.options_bytes = sizeof(struct collections_options),
	.start = gc_events_start,
	.cut = gc_events_cut,
	.release = gc_events_release,
};
