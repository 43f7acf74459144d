/* SPDX-License-Identifier: MIT */
/*
 * Follows import_begin and import_end events per thread as nested ranges; the path of a range is
 * the chain of imports.
 */
#include "report/imports/import_events.h"

#include <stdlib.h>

#include "report/base/memory.h"

struct import_state {
	struct imports imports; /* must be first: others see only this part */
	struct source *source;
	struct works *works;
};

/* Returns the origin of the thread's innermost import; NULL: that import does not count. */
static struct import_origin *origin_of_top(struct imports *imports, uint32_t thread)
{
	uint32_t top = nest_top(&imports->ranges.nest, thread), row;

	row = top == NEST_NONE ? RANGE_NONE : imports->ranges.open[top].row;
	if (row == RANGE_NONE)
		return NULL;
	imports->origin = memory_room(imports->origin, row, &imports->origin_room,
				      sizeof(*imports->origin));
	return &imports->origin[row];
}

static void begin_inside(struct imports *imports, uint32_t thread)
{
	uint32_t top = nest_top(&imports->ranges.nest, thread);

	imports->inside = memory_room(imports->inside, top, &imports->inside_room,
				      sizeof(*imports->inside));
	imports->inside[top] = (struct work){ 0 };
}

/*
 * The import ends. Its work is part of the work inside of the enclosing import, whether that one
 * counts or not.
 */
static void end_inside(struct imports *imports, uint32_t scope, const struct work *now)
{
	struct work all = work_between(&imports->ranges.open[scope].work, now), self;
	uint32_t around = imports->ranges.nest.scope[scope].parent;
	uint32_t row = imports->ranges.open[scope].row;

	self = work_between(&imports->inside[scope], &all);
	if (around != NEST_NONE)
		work_add(&imports->inside[around], &all);
	if (row != RANGE_NONE)
		work_add(&imports->origin[row].self, &self);
}

static void import_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct import_state *mine = state;
	const struct evt_import_begin *begin = EVENT_AS(import_begin, &event->event);
	struct import_origin *origin;

	ranges_push(&mine->imports.ranges,
		    &(struct range_opening){
			    .time_ns = event->event.time_ns,
			    .thread = event->thread->index,
			    .process = event->process->index,
			    .name = event_name(mine->source, event, begin->module),
			    .work = works_of_thread(mine->works, event->thread),
			    .counts = counts,
		    });
	begin_inside(&mine->imports, event->thread->index);
	origin = origin_of_top(&mine->imports, event->thread->index);
	if (!origin || origin->is_known)
		return;
	origin->is_known = true;
	origin->file = event_name(mine->source, event, begin->file);
	origin->line = begin->line;
}

static void import_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct import_state *mine = state;
	struct import_origin *origin = origin_of_top(&mine->imports, event->thread->index);
	struct work now = works_of_thread(mine->works, event->thread);
	uint32_t top = nest_top(&mine->imports.ranges.nest, event->thread->index);

	(void)counts;
	if (origin)
		origin->failed += EVENT_AS(import_end, &event->event)->failed != 0;
	if (top != NEST_NONE)
		end_inside(&mine->imports, top, &now);
	ranges_pop(&mine->imports.ranges, &(struct range_closing){
						  .time_ns = event->event.time_ns,
						  .thread = event->thread->index,
						  .process = event->process->index,
						  .work = now,
					  });
}

static void import_events_start(void *state, struct run *run, const void *options)
{
	const struct imports_options *asked = options;
	struct import_state *mine = state;

	mine->source = run_source(run);
	mine->works = works_want(run, asked->work);
	ranges_init(&mine->imports.ranges, true);
	run_reads(run, EVT_import_begin, FIELDS_ALL, import_events_take_begin, mine);
	run_reads(run, EVT_import_end, FIELDS_ALL, import_events_take_end, mine);
	run_seeks(run, state);
}

static void import_events_cut(void *state, const struct cut *cut)
{
	struct import_state *mine = state;
	const struct nest *nest = &mine->imports.ranges.nest;
	struct work now;

	if (!cut->thread)
		return;
	now = works_of_thread(mine->works, cut->thread);
	if (cut_ending(cut) != NEST_RUNS_ON)
		for (uint32_t scope = nest_top(nest, cut->thread->index); scope != NEST_NONE;
		     scope = nest->scope[scope].below)
			end_inside(&mine->imports, scope, &now);
	ranges_cut(&mine->imports.ranges, cut_place(cut), now, cut_ending(cut));
}

static void import_events_release(void *state)
{
	struct imports *imports = &((struct import_state *)state)->imports;

	ranges_release(&imports->ranges);
	free(imports->origin);
	free(imports->inside);
}

const struct analysis_kind analysis_imports = {
	.name = "imports",
	.state_bytes = sizeof(struct import_state),
	.options_bytes = sizeof(struct imports_options),
	.start = import_events_start,
	.cut = import_events_cut,
	.release = import_events_release,
};
