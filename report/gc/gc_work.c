/* SPDX-License-Identifier: MIT */
/* Counts the garbage collections of threads for core/work.h. A collection counts where it ends. */
#include "report/core/collecting.h"
#include "report/core/work.h"

struct gc_work {
	struct work_provider provider; /* must be first: others see only this part */
	struct collecting collecting;
};

static void gc_work_take_begin(void *state, const struct source_event *event, bool counts)
{
	collecting_begin(&((struct gc_work *)state)->collecting, event, counts);
}

static void gc_work_take_end(void *state, const struct source_event *event, bool counts)
{
	struct gc_work *mine = state;
	struct collected collected;

	(void)counts;
	if (collecting_end(&mine->collecting, event, &collected))
		works_put(mine->provider.works, event, collected.counts,
			  &(struct work){ .collections = 1, .gc_ns = collected.duration_ns });
}

static void gc_work_start(void *state, struct run *run, const void *options)
{
	struct gc_work *mine = state;

	(void)options;
	mine->provider.works = works_provide(run);
	run_reads(run, EVT_gc_begin, 0, gc_work_take_begin, mine);
	run_reads(run, EVT_gc_end, 0, gc_work_take_end, mine);
	run_follows(run, mine);
	run_enters(run, mine);
	run_leaves(run, mine);
}

static void gc_work_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		(void)collecting_cut(&((struct gc_work *)state)->collecting, cut->thread->index);
}

static void gc_work_release(void *state)
{
	collecting_release(&((struct gc_work *)state)->collecting);
}

const struct analysis_kind analysis_gc_work = {
	.name = "gc work",
	.state_bytes = sizeof(struct gc_work),
	.start = gc_work_start,
	.cut = gc_work_cut,
	.release = gc_work_release,
};
