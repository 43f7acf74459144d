/* SPDX-License-Identifier: MIT */
/*
 * Calls of modules: opens and closes a range per call, identified by the path of modules around it.
 */
#include "report/modules/module_events.h"

#include "report/helpers/helped_work.h"

struct module_state {
	struct ranges modules; /* first member: it is what others see */
	struct source *source;
	struct helped_work *works;
};

static void module_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;
	const struct evt_torch_module_begin *begin = EVENT_AS(torch_module_begin, &event->event);

	ranges_push(&mine->modules,
		    &(struct range_opening){
			    .time_ns = event->event.time_ns,
			    .thread = event->thread->index,
			    .process = event->process->index,
			    .name = event_name(mine->source, event, begin->name),
			    .work = helped_work_of_thread(mine->works, event->thread),
			    .counts = counts,
		    });
}

static void module_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct module_state *mine = state;

	(void)counts;
	ranges_pop(&mine->modules,
		   &(struct range_closing){
			   .time_ns = event->event.time_ns,
			   .thread = event->thread->index,
			   .process = event->process->index,
			   .work = helped_work_of_thread(mine->works, event->thread),
		   });
}

static void module_events_start(void *state, struct run *run, const void *options)
{
	const struct modules_options *asked = options;
	struct module_state *mine = state;

	mine->source = run_source(run);
	mine->works = helped_work_want(run, asked->work);
	ranges_init(&mine->modules, true);
	if (asked->work & WORK_BIT(gpu_ns))
		ranges_want_late(&mine->modules, run);
	run_reads(run, EVT_torch_module_begin, FIELDS_ALL, module_events_take_begin, mine);
	run_reads(run, EVT_torch_module_end, 0, module_events_take_end, mine);
}

static void module_events_cut(void *state, const struct cut *cut)
{
	struct module_state *mine = state;

	if (cut->thread)
		ranges_cut(&mine->modules, cut_place(cut),
			   helped_work_of_thread(mine->works, cut->thread), cut_ending(cut));
}

static void module_events_release(void *state)
{
	ranges_release(&((struct module_state *)state)->modules);
}

const struct analysis_kind analysis_modules = {
	.name = "modules",
	.state_bytes = sizeof(struct module_state),
	.options_bytes = sizeof(struct modules_options),
	.start = module_events_start,
	.cut = module_events_cut,
	.release = module_events_release,
};
