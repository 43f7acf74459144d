/* SPDX-License-Identifier: MIT */
/* Collections of the garbage collector as counters of core/work.h: a collection counts where it ends, with all of its time. */
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/cut.h"
#include "report/core/work.h"

struct gc_provider {
	struct work_provider provider; /* first */
	uint64_t *began_ns;            /* by thread; 0: none is under way */
	size_t room;
};

static uint64_t *began_at(struct gc_provider *mine, uint32_t thread)
{
	mine->began_ns = memory_room(mine->began_ns, thread, &mine->room, sizeof(*mine->began_ns));
	return &mine->began_ns[thread];
}

static void take_begin(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	*began_at(state, event->thread->index) = event->event.time_ns + 1;
}

static void take_end(void *state, const struct source_event *event, bool counts)
{
	struct gc_provider *mine = state;
	uint64_t *began_ns = began_at(mine, event->thread->index);

	if (!*began_ns)
		return;
	works_put(
		mine->provider.works, event, counts,
		&(struct work){ .collections = 1, .gc_ns = event->event.time_ns + 1 - *began_ns });
	*began_ns = 0;
}

static void start(void *state, struct run *run, const void *options)
{
	struct gc_provider *mine = state;

	(void)options;
	mine->provider.works = works_provide(run);
	run_reads(run, EVT_gc_begin, 0, take_begin, mine);
	run_reads(run, EVT_gc_end, 0, take_end, mine);
	run_follows(run, mine);
}

static void cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		*began_at(state, cut->thread->index) = 0;
}

static void release(void *state)
{
	free(((struct gc_provider *)state)->began_ns);
}

const struct analysis_kind analysis_gc_work = {
	.name = "gc work",
	.state_bytes = sizeof(struct gc_provider),
	.start = start,
	.cut = cut,
	.release = release,
};
