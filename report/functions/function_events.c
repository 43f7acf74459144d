/* SPDX-License-Identifier: MIT */
/*
 * Passes calls, returns, switches of stacks and actions to calls.h and, with --by action, also to
 * action_calls.h. The key of --by is that of the time at which a function is entered.
 */
#include "report/functions/function_events.h"

struct function_state {
	struct functions functions; /* must be first: others see only this part */
	struct source *source;
};

static struct call function_events_call_of(const struct function_state *mine,
					   const struct source_event *event, uint64_t function)
{
	return (struct call){ .time_ns = event->event.time_ns,
			      .thread = event->thread->index,
			      .function = event_name(mine->source, event, function) };
}

static void take_enter(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;
	struct call call = function_events_call_of(
		mine, event, EVENT_AS(function_enter, &event->event)->function);

	call.counts = counts;
	if (mine->functions.by_action) {
		action_calls_enter(&mine->functions.actions, &call);
		call.key = action_calls_any(&mine->functions.actions, call.thread)
				   ? FUNCTIONS_IN_ACTION
				   : FUNCTIONS_NO_ACTION;
	} else if (counts) {
		call.key = key_of(&mine->functions.key, event);
	}
	calls_enter(&mine->functions.calls, &call);
}

static void take_return(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;
	struct call call = function_events_call_of(
		mine, event, EVENT_AS(function_return, &event->event)->function);

	(void)counts;
	calls_return(&mine->functions.calls, &call);
	if (mine->functions.by_action)
		action_calls_return(&mine->functions.actions, &call);
}

static void take_interpreter(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;

	(void)counts;
	mine->functions.interpreters += EVENT_AS(function_interpreter, &event->event)->count;
}

static void function_events_take_stack(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;
	const struct evt_function_stack *stack = EVENT_AS(function_stack, &event->event);

	(void)counts;
	calls_switch(&mine->functions.calls, event->thread->index, event->event.time_ns,
		     stack->before, stack->stack);
}

_Static_assert(sizeof(struct evt_action_begin) == sizeof(struct evt_action_end), "both are a name");

static uint32_t name_of_action(const struct function_state *mine, const struct source_event *event)
{
	return event_name(mine->source, event, EVENT_AS(action_begin, &event->event)->name);
}

static void function_events_take_action(void *state, const struct source_event *event, bool counts)
{
	struct function_state *mine = state;

	(void)counts;
	action_calls_begin(&mine->functions.actions, event_place(event),
			   name_of_action(mine, event));
}

static void function_events_take_action_end(void *state, const struct source_event *event,
					    bool counts)
{
	struct function_state *mine = state;

	(void)counts;
	action_calls_end(&mine->functions.actions, event_place(event), name_of_action(mine, event));
}

static void function_events_start(void *state, struct run *run, const void *options)
{
	const struct functions_options *asked = options;
	struct function_state *mine = state;

	mine->source = run_source(run);
	mine->functions.key = run_key(run, asked->by);
	mine->functions.by_action = asked->by == BY_functions_action;
	calls_init(&mine->functions.calls);
	action_calls_init(&mine->functions.actions);
	if (mine->functions.by_action) {
		run_reads(run, EVT_action_begin, FIELDS_ALL, function_events_take_action, mine);
		run_reads(run, EVT_action_end, FIELDS_ALL, function_events_take_action_end, mine);
	}
	run_reads(run, EVT_function_enter, FIELDS_ALL, take_enter, mine);
	run_reads(run, EVT_function_interpreter, FIELDS_ALL, take_interpreter, mine);
	run_reads(run, EVT_function_stack, FIELDS_ALL, function_events_take_stack, mine);
	run_reads(run, EVT_function_return, FIELDS_ALL, take_return, mine);
	run_seeks(run, state);
}

static void function_events_cut(void *state, const struct cut *cut)
{
	struct functions *functions = &((struct function_state *)state)->functions;

	if (!cut->thread)
		return;
	calls_cut(&functions->calls, cut->thread->index, cut->time_ns, cut_ending(cut));
	action_calls_cut(&functions->actions, cut_place(cut), cut_ending(cut));
}

static void function_events_release(void *state)
{
	struct functions *functions = &((struct function_state *)state)->functions;

	calls_release(&functions->calls);
	action_calls_release(&functions->actions);
}

const struct analysis_kind analysis_functions = {
	.name = "functions",
	.state_bytes = sizeof(struct function_state),
	.options_bytes = sizeof(struct functions_options),
	.start = function_events_start,
	.cut = function_events_cut,
	.release = function_events_release,
};
