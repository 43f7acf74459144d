/* SPDX-License-Identifier: MIT */
/*
 * Makes operations of actions.h from events: actions, and how long a program was inside of the user
 * scopes or ranges that replace them.
 */
#include "report/lightning/action_events.h"

#include "report/helpers/helpers.h"
#include "report/scopes/scope_events.h"

struct action_state {
	struct actions actions; /* must be first: others see only this part */
	struct source *source;
	const struct helpers *helpers;
};

_Static_assert(sizeof(struct evt_action_begin) == sizeof(struct evt_action_end), "both are a name");

static struct action_event action_of(const struct action_state *mine,
				     const struct source_event *event, bool counts)
{
	return (struct action_event){
		.place = event_place(event),
		.name = event_name(mine->source, event,
				   EVENT_AS(action_begin, &event->event)->name),
		.counts = counts,
	};
}

static void action_events_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct action_state *mine = state;
	struct action_event action = action_of(mine, event, counts);

	actions_begin(&mine->actions, &action);
}

static void action_events_take_end(void *state, const struct source_event *event, bool counts)
{
	struct action_state *mine = state;
	struct action_event action = action_of(mine, event, counts);

	actions_end(&mine->actions, &action);
}

static void action_events_take_operator(void *state, const struct source_event *event, bool counts)
{
	struct action_event action = { .place = event_place(event), .counts = counts };
	bool is_user = event_record_scope(event) == EVT_SCOPE_USER;

	if (!action.place.identity)
		actions_begin_operator(&((struct action_state *)state)->actions, &action, is_user);
	else if (is_user)
		actions_begin_held(&((struct action_state *)state)->actions, &action);
}

static void action_events_take_operator_end(void *state, const struct source_event *event,
					    bool counts)
{
	struct actions *actions = &((struct action_state *)state)->actions;

	(void)counts;
	if (event_place(event).identity)
		actions_end_held(actions, event_place(event));
	else if (!event_ends_elsewhere(event))
		actions_end_operator(actions, event_place(event));
}

static void action_events_take_range(void *state, const struct source_event *event, bool counts)
{
	struct action_event action = { .place = event_place(event), .counts = counts };

	actions_note_range(&((struct action_state *)state)->actions, &action);
}

static uint64_t action_events_place_of(void *state, const struct source_event *event, bool counts)
{
	struct action_state *mine = state;

	(void)counts;
	return actions_place(&mine->actions, helpers_scopes_of(mine->helpers, &mine->actions.nest,
							       event->thread->index));
}

static void action_events_take_late(void *state, uint64_t place, const struct deferred_work *work)
{
	deferred_scopes_add(&((struct action_state *)state)->actions.deferred, (uint32_t)place,
			    work);
}

static void action_events_drop_late(void *state, uint64_t place, bool had_work)
{
	(void)had_work;
	deferred_scopes_drop(&((struct action_state *)state)->actions.deferred, (uint32_t)place);
}

static const struct deferred_listener listener = { .place = action_events_place_of,
						   .take = action_events_take_late,
						   .drop = action_events_drop_late };

static void action_events_start(void *state, struct run *run, const void *options)
{
	struct action_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	mine->helpers = helpers_want(run, NULL);
	actions_init(&mine->actions);
	deferred_listen(deferred_want(run), &listener, mine);
	run_reads(run, EVT_action_begin, FIELDS_ALL, action_events_take_begin, mine);
	run_reads(run, EVT_action_end, FIELDS_ALL, action_events_take_end, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin_ex, scope),
			 action_events_take_operator, action_events_take_operator_end, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_push, 0, action_events_take_range,
			 action_events_take_range, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_nvtx_start, 0, action_events_take_range,
			 action_events_take_range, mine);
	run_seeks(run, state);
}

static void action_events_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		actions_cut(&((struct action_state *)state)->actions, cut_place(cut),
			    cut_ending(cut));
}

static void action_events_release(void *state)
{
	actions_release(&((struct action_state *)state)->actions);
}

const struct analysis_kind analysis_actions = {
	.name = "actions",
	.state_bytes = sizeof(struct action_state),
	.options_bytes = sizeof(struct actions_options),
	.start = action_events_start,
	.cut = action_events_cut,
	.release = action_events_release,
};
