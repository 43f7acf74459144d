/* SPDX-License-Identifier: MIT */
/* See function_events.h. */
#include "report/functions/function_events.h"

struct function_state {
	struct functions functions; /* first: it is what others see */
	struct source *source;
};

static struct call call_of(const struct function_state *mine, const struct source_event *event,
			   uint64_t function)
{
	return (struct call){ .time_ns = event->event.time_ns,
			      .thread = event->thread->index,
			      .function = event_name(mine->source, event, function) };
}

static void take_enter(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;
	struct call call = call_of(mine, event, EVENT_AS(function_enter, &event->event)->function);

	call.counts = counts;
	if (counts)
		call.key = key_of(&mine->functions.key, event);
	calls_enter(&mine->functions.calls, &call);
}

static void take_return(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;
	struct call call = call_of(mine, event, EVENT_AS(function_return, &event->event)->function);

	(void)counts;
	calls_return(&mine->functions.calls, &call);
}

static void start(void *state, struct run *run, const void *options)
{
	const struct functions_options *asked = options;
	struct function_state *mine = state;

	mine->source = run_source(run);
	mine->functions.key = run_key(run, asked->by);
	calls_init(&mine->functions.calls);
	run_reads(run, EVT_function_enter, FIELDS_ALL, take_enter, mine);
	run_reads(run, EVT_function_return, FIELDS_ALL, take_return, mine);
}

static void cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		calls_cut(&((struct function_state *)state)->functions.calls, cut->thread->index,
			  cut->time_ns, cut_ending(cut));
}

static void release(void *state)
{
	calls_release(&((struct function_state *)state)->functions.calls);
}

const struct analysis_kind analysis_functions = {
	.name = "functions",
	.state_bytes = sizeof(struct function_state),
	.options_bytes = sizeof(struct functions_options),
	.start = start,
	.cut = cut,
	.release = release,
};
