/* SPDX-License-Identifier: MIT */
/* Makes operations of ranges.h from events of family nvtx. */
#include "report/nvtx/range_events.h"

#include "report/helpers/helped_work.h"

struct range_state {
	struct ranges ranges; /* must be first: others see only this part */
	struct source *source;
	struct works *works; /* NULL: the work inside of ranges is not wanted */
	struct helped_work *helped;
};

static struct work work_of_thread(const struct range_state *mine, const struct source_event *event)
{
	return helped_work_of_thread(mine->helped, event->thread);
}

static struct work work_of_process(const struct range_state *mine,
				   const struct source_process *process)
{
	return mine->works ? works_of_process(mine->works, process) : (struct work){ 0 };
}

static struct range_opening range_events_opening_of(struct range_state *mine,
						    const struct source_event *event, bool counts)
{
	const uint64_t *value = event->event.value; /* domain and name of the three events */

	return (struct range_opening){
		.time_ns = event->event.time_ns,
		.thread = event->thread->index,
		.process = event->process->index,
		.domain = event_name(mine->source, event, value[0]),
		.name = event_name(mine->source, event, value[1]),
		.counts = counts,
		.task = &event->thread->task,
	};
}

static void range_events_take_push(void *state, const struct source_event *event, bool counts)
{
	struct range_state *mine = state;
	struct range_opening opening = range_events_opening_of(mine, event, counts);

	opening.work = work_of_thread(mine, event);
	ranges_push(&mine->ranges, &opening);
}

static void range_events_take_start(void *state, const struct source_event *event, bool counts)
{
	struct range_state *mine = state;
	struct range_opening opening = range_events_opening_of(mine, event, counts);

	opening.number = EVENT_AS(nvtx_start, &event->event)->range;
	opening.work = work_of_process(mine, event->process);
	ranges_start(&mine->ranges, &opening);
}

static struct range_closing closing_of(struct range_state *mine, const struct source_event *event)
{
	return (struct range_closing){
		.time_ns = event->event.time_ns,
		.thread = event->thread->index,
		.process = event->process->index,
		.domain = event_name(mine->source, event, event->event.value[0]),
		.task = &event->thread->task,
	};
}

static void range_events_take_pop(void *state, const struct source_event *event, bool counts)
{
	struct range_state *mine = state;
	struct range_closing closing = closing_of(mine, event);

	(void)counts;
	closing.work = work_of_thread(mine, event);
	ranges_pop(&mine->ranges, &closing);
}

static void range_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct range_state *mine = state;
	struct range_closing closing = closing_of(mine, event);

	(void)counts;
	closing.number = EVENT_AS(nvtx_end, &event->event)->range;
	closing.work = work_of_process(mine, event->process);
	ranges_end(&mine->ranges, &closing);
}

static void range_events_take_clock(void *state, const struct source_event *event, bool counts)
{
	(void)counts;
	ranges_clock(&((struct range_state *)state)->ranges, event_place(event),
		     EVENT_AS(thread_clock, &event->event)->cpu_ns);
}

static void range_events_take_mark(void *state, const struct source_event *event, bool counts)
{
	(void)event;
	((struct range_state *)state)->ranges.marks += counts;
}

static void range_events_start(void *state, struct run *run, const void *options)
{
	const struct ranges_options *asked = options;
	struct range_state *mine = state;

	mine->source = run_source(run);
	ranges_init(&mine->ranges, asked->by_path != 0);
	if (asked->work) {
		mine->works = works_want(run, asked->work);
		mine->helped = helped_work_want(run, asked->work);
		if (asked->work & WORK_BIT(gpu_ns))
			ranges_want_late(&mine->ranges, run);
		run_sums_exact(run, EVT_nvtx_start);
		run_sums_exact(run, EVT_nvtx_end);
	}
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_push,
			 FIELD_BIT(nvtx_push, domain) | FIELD_BIT(nvtx_push, name),
			 range_events_take_push, range_events_take_pop, mine);
	run_reads(run, EVT_nvtx_start, FIELDS_ALL, range_events_take_start, mine);
	run_reads(run, EVT_nvtx_end, FIELDS_ALL, range_events_take_end, mine);
	run_reads(run, EVT_nvtx_mark, 0, range_events_take_mark, mine);
	run_reads(run, EVT_thread_clock, FIELDS_ALL, range_events_take_clock, mine);
	run_seeks(run, state);
}

static void range_events_cut(void *state, const struct cut *cut)
{
	struct range_state *mine = state;

	if (cut->thread)
		ranges_cut(&mine->ranges, cut_place(cut),
			   helped_work_of_thread(mine->helped, cut->thread), cut_ending(cut));
	else
		ranges_cut_started(&mine->ranges, cut_place(cut),
				   work_of_process(mine, cut->process), cut_ending(cut));
}

static void range_events_release(void *state)
{
	ranges_release(&((struct range_state *)state)->ranges);
}

const struct analysis_kind analysis_ranges = {
	.name = "ranges",
	.state_bytes = sizeof(struct range_state),
	.options_bytes = sizeof(struct ranges_options),
	.start = range_events_start,
	.cut = range_events_cut,
	.release = range_events_release,
};

/* --- how many ranges there were --- */

static void count_range(void *state, const struct source_event *event, bool counts)
{
	works_put_one(((struct work_provider *)state)->works, event, counts, WORK_nvtx_ranges, 1);
}

static void range_events_work_start(void *state, struct run *run, const void *options)
{
	(void)options;
	((struct work_provider *)state)->works = works_provide(run);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_push, 0, count_range, NULL, state);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_start, 0, count_range, NULL, state);
}

const struct analysis_kind analysis_range_work = {
	.name = "range work",
	.state_bytes = sizeof(struct work_provider),
	.start = range_events_work_start,
};
