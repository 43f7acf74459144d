/* SPDX-License-Identifier: MIT */
/* One nest, and a list of those who are told when a scope of it ends. */
#include "report/core/open_operators.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/scopes/scope_events.h"

#define NO_KEY UINT64_MAX /* of a scope that no end names */

struct end_listener {
	nest_ended *ended;
	void *state;
};

struct open_operators_state {
	struct open_operators operators; /* must be first: others see only this part */
	struct source *source;
	struct end_listener *listener;
	size_t listener_count, listener_room;
};

void open_operators_listen(struct open_operators *operators, nest_ended *ended, void *state)
{
	struct open_operators_state *mine = (struct open_operators_state *)operators;

	mine->listener = memory_room(mine->listener, mine->listener_count, &mine->listener_room,
				     sizeof(*mine->listener));
	mine->listener[mine->listener_count++] = (struct end_listener){ ended, state };
}

static void open_operators_ended(void *state, const struct nest_end *end)
{
	const struct open_operators_state *mine = state;

	for (size_t i = 0; i < mine->listener_count; i++)
		mine->listener[i].ended(mine->listener[i].state, end);
}

static void open_operators_take_begin(void *state, const struct source_event *event, bool counts)
{
	struct open_operators_state *mine = state;
	const struct evt_role *role = evt_role_of(event->event.id);
	uint64_t key = NO_KEY;

	(void)counts;
	if (role->key)
		key = event_name(mine->source, event, evt_part(&event->event, role->key));
	(void)nest_begin(&mine->operators.nest, event_place(event), key, false);
}

static void open_operators_take_end(void *state, const struct source_event *event, bool counts)
{
	struct open_operators_state *mine = state;

	(void)counts;
	nest_end_of_event(&mine->operators.nest, mine->source, event);
}

static void open_operators_start(void *state, struct run *run, const void *options)
{
	struct open_operators_state *mine = state;

	(void)options;
	mine->source = run_source(run);
	nest_init(&mine->operators.nest, (struct nest_options){ 0 }, open_operators_ended, mine);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELDS_ALL, open_operators_take_begin,
			 open_operators_take_end, mine);
	run_follows(run, mine);
	run_seeks(run, mine);
}

static void open_operators_cut(void *state, const struct cut *cut)
{
	if (cut->thread)
		nest_cut(&((struct open_operators *)state)->nest, cut_place(cut), cut_ending(cut));
}

static void open_operators_release(void *state)
{
	struct open_operators_state *mine = state;

	nest_release(&mine->operators.nest);
	free(mine->listener);
}

const struct analysis_kind analysis_open_operators = {
	.name = "open operators",
	.state_bytes = sizeof(struct open_operators_state),
	.options_bytes = sizeof(struct open_operators_options),
	.start = open_operators_start,
	.cut = open_operators_cut,
	.release = open_operators_release,
};
