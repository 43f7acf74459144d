/* SPDX-License-Identifier: MIT */
/* Looks up the name of each operator event once, and counts operators for core/work.h. */
#include "report/torch/operator_naming.h"

#include <stdlib.h>

#include "report/base/memory.h"
#include "report/core/work.h"
#include "report/scopes/scope_events.h"

/* The name is the first field of all of them. */
_Static_assert(offsetof(struct evt_torch_begin, name) == 0 &&
		       offsetof(struct evt_torch_begin_ex, name) == 0 &&
		       offsetof(struct evt_torch_end_ex, name) == 0 &&
		       offsetof(struct evt_torch_begin_id, name) == 0 &&
		       offsetof(struct evt_torch_end_id, name) == 0 &&
		       offsetof(struct evt_torch_async_begin, name) == 0,
	       "names are read as the first field");

static void operator_naming_take(void *state, const struct source_event *event, bool counts)
{
	struct operator_naming *naming = state;
	uint32_t name = event_name(naming->source, event, event->event.value[0]);

	(void)counts;
	naming->name = operator_name_of(&naming->names, name,
					operator_text_of(source_name_at(naming->source, name)),
					&naming->is_hidden);
}

static void operator_naming_start(void *state, struct run *run, const void *options)
{
	struct operator_naming *naming = state;

	(void)options;
	naming->source = run_source(run);
	operator_names_init(&naming->names);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin, name),
			 operator_naming_take, NULL, naming);
	run_reads_keyed_scopes(run, EVT_SCOPE_KIND_operator, 0, NULL, operator_naming_take, naming);
	run_reads(run, EVT_torch_async_begin, FIELD_BIT(torch_async_begin, name),
		  operator_naming_take, naming);
	run_enters(run, naming);
	run_leaves(run, naming);
}

static void operator_naming_release(void *state)
{
	operator_names_release(&((struct operator_naming *)state)->names);
}

const struct analysis_kind analysis_operator_naming = {
	.name = "operator naming",
	.state_bytes = sizeof(struct operator_naming),
	.options_bytes = sizeof(struct operator_naming_options),
	.start = operator_naming_start,
	.release = operator_naming_release,
};

/* --- number of operators --- */

struct operator_work_state {
	struct works *works;
	const struct operator_naming *naming;
	uint64_t *one_in; /* by process; 0: each of its operators is recorded */
	size_t room;
};

static void note_sampling(void *state, const struct source_event *event, bool counts)
{
	struct operator_work_state *mine = state;
	uint32_t process = event->process->index;

	(void)counts;
	if (process >= mine->room)
		mine->one_in = memory_room(mine->one_in, process, &mine->room,
					   sizeof(*mine->one_in));
	mine->one_in[process] = EVENT_AS(torch_sampling, &event->event)->one_in;
}

static bool operator_naming_is_label(const struct source_event *event)
{
	return event->event.id == EVT_torch_async_begin ||
	       event_record_scope(event) == EVT_SCOPE_USER;
}

/* Labels are all recorded; an operator stands for those that are not. */
static uint64_t operators_of(const struct operator_work_state *mine,
			     const struct source_event *event)
{
	uint32_t process = event->process->index;

	if (process >= mine->room || !mine->one_in[process] || operator_naming_is_label(event))
		return 1;
	return mine->one_in[process];
}

static void count_operator(void *state, const struct source_event *event, bool counts)
{
	const struct operator_work_state *mine = state;

	if (!mine->naming->is_hidden || event->event.id == EVT_torch_async_begin)
		works_put_one(mine->works, event, counts, WORK_operators,
			      operators_of(mine, event));
}

static void operator_naming_work_start(void *state, struct run *run, const void *options)
{
	struct operator_work_state *mine = state;

	(void)options;
	mine->works = works_provide(run);
	mine->naming = operator_naming_want(run, NULL);
	run_reads_scopes(run, EVT_SCOPE_KIND_operator, FIELD_BIT(torch_begin_ex, scope),
			 count_operator, NULL, mine);
	run_reads(run, EVT_torch_async_begin, 0, count_operator, mine);
	run_reads(run, EVT_torch_sampling, FIELDS_ALL, note_sampling, mine);
	run_enters(run, mine);
	run_leaves(run, mine);
}

static void operator_naming_work_release(void *state)
{
	free(((struct operator_work_state *)state)->one_in);
}

const struct analysis_kind analysis_operator_work = {
	.name = "operator work",
	.state_bytes = sizeof(struct operator_work_state),
	.start = operator_naming_work_start,
	.release = operator_naming_work_release,
};
