/* SPDX-License-Identifier: MIT */
/* Keeps the facts that processes reported about their environment. */
#include "report/advice/run_facts.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

/* Facts count whatever the filters select. */
static void take_fact(void *state, const struct source_event *event, bool counts)
{
	const struct evt_fact *fact = EVENT_AS(fact, &event->event);
	struct run_facts *environment = state;
	uint64_t time_ns = event->event.time_ns;

	(void)counts;
	if (environment->count >= ENVIRONMENT_MAX)
		return;
	environment->row = memory_room(environment->row, environment->count, &environment->room,
				       sizeof(*environment->row));
	environment->row[environment->count++] = (struct run_facts_row){
		source_name_of(environment->source, event->file, fact->key),
		source_name_of(environment->source, event->file, fact->value),
		time_ns > fact->age_ns ? time_ns - fact->age_ns : 0, event->process->index
	};
}

static void run_facts_start(void *state, struct run *run, const void *options)
{
	(void)options;
	((struct run_facts *)state)->source = run_source(run);
	run_reads(run, EVT_fact, FIELDS_ALL, take_fact, state);
}

static void run_facts_release(void *state)
{
	free(((struct run_facts *)state)->row);
}

const struct analysis_kind analysis_run_facts = {
	.name = "environment",
	.state_bytes = sizeof(struct run_facts),
	.options_bytes = sizeof(struct run_facts_options),
	.start = run_facts_start,
	.release = run_facts_release,
};

const struct run_facts_row *run_facts_find(const struct run_facts *environment, uint32_t process,
					   const char *key)
{
	for (size_t i = environment->count; i > 0; i--) {
		const struct run_facts_row *row = &environment->row[i - 1];

		if (row->process == process && row->key->text && !strcmp(row->key->text, key))
			return row;
	}
	return NULL;
}
