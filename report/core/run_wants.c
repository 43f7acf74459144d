/* SPDX-License-Identifier: MIT */
/*
 * Which analyses there are and which events each of them reads. Roles of events (struct evt_role)
 * say which open or close scopes, so no analysis lists these.
 */
#include "report/core/run_state.h"

#include <stdlib.h>
#include <string.h>

#include "collector/format/segment.h"
#include "report/base/memory.h"

static void *run_find(const struct run *run, const struct analysis_kind *kind, const void *options)
{
	for (size_t i = 0; i < run->analysis_count; i++)
		if (run->analysis[i].kind == kind &&
		    !memcmp(run->analysis[i].options, options, kind->options_bytes))
			return run->analysis[i].state;
	return NULL;
}

const void *run_look(const struct run *run, const struct analysis_kind *kind)
{
	const void *state = NULL;

	for (size_t i = 0; i < run->analysis_count && !state; i++)
		if (run->analysis[i].kind == kind && !kind->options_bytes)
			state = run->analysis[i].state;
	return state;
}

void *run_want(struct run *run, const struct analysis_kind *kind, const void *options)
{
	void *copy = memory_zero(kind->options_bytes + 1, 1), *state;

	if (options)
		memcpy(copy, options, kind->options_bytes);
	state = run_find(run, kind, copy);
	if (state) {
		free(copy);
		return state;
	}
	state = memory_zero(1, kind->state_bytes);
	kind->start(state, run, copy); /* start() may want others, which then precede it */
	run->analysis = memory_room(run->analysis, run->analysis_count, &run->analysis_room,
				    sizeof(*run->analysis));
	run->analysis[run->analysis_count++] = (struct run_analysis){ kind, state, copy };
	return state;
}

struct scope_readers {
	analysis_take *opening, *closing;
	void *state;
};

static void run_add_reader(struct run *run, enum evt_id id, struct run_reader reader)
{
	struct run_readers *readers = &run->readers[id];

	readers->reader = memory_room(readers->reader, readers->count, &readers->room,
				      sizeof(*readers->reader));
	readers->reader[readers->count++] = reader;
}

void run_reads(struct run *run, enum evt_id id, uint32_t fields, analysis_take *take, void *state)
{
	run_add_reader(run, id, (struct run_reader){ .take = take, .state = state });
	run->wants.event[id] = true;
	run->wants.fields[id] |= fields;
}

static void run_reads_scopes_if(struct run *run, enum evt_scope_kind kind, uint32_t fields,
				const struct scope_readers *readers, bool with_key, bool without)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_role *role = &evt_roles[id];
		uint32_t told = (role->key ? 1u << (role->key - 1) : 0) |
				(role->elsewhere ? 1u << (role->elsewhere - 1) : 0);

		if (role->key ? !with_key : !without)
			continue;
		if (readers->opening && role->opens == kind)
			run_reads(run, (enum evt_id)id, fields, readers->opening, readers->state);
		if (readers->closing && role->closes == kind)
			run_reads(run, (enum evt_id)id, told, readers->closing, readers->state);
	}
}

void run_reads_scopes(struct run *run, enum evt_scope_kind kind, uint32_t fields,
		      analysis_take *opening, analysis_take *closing, void *state)
{
	run_reads_scopes_if(run, kind, fields, &(struct scope_readers){ opening, closing, state },
			    true, true);
}

void run_reads_keyed_scopes(struct run *run, enum evt_scope_kind kind, uint32_t fields,
			    analysis_take *opening, analysis_take *closing, void *state)
{
	run_reads_scopes_if(run, kind, fields, &(struct scope_readers){ opening, closing, state },
			    true, false);
}

void run_reads_keyless_scopes(struct run *run, enum evt_scope_kind kind, uint32_t fields,
			      analysis_take *opening, analysis_take *closing, void *state)
{
	run_reads_scopes_if(run, kind, fields, &(struct scope_readers){ opening, closing, state },
			    false, true);
}

void run_reads_calls(struct run *run, enum evt_family family, uint32_t fields, analysis_take *take,
		     void *state)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		const struct evt_descriptor *event = &evt_descriptors[id];
		unsigned int duration = evt_duration_field(id);

		if (event->family == family && event->field[0].codec == EVT_CODEC_name &&
		    duration < EVT_FIELDS_MAX)
			run_reads(run, (enum evt_id)id, fields | 1u << duration, take, state);
	}
}

void run_reads_ranges(struct run *run, analysis_take *opening, analysis_take *closing, void *state)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		if (evt_opens_range(id, EVT_OWNER_thread))
			run_reads(run, (enum evt_id)id, FIELDS_ALL, opening, state);
		if (evt_closes_range(id, EVT_OWNER_thread))
			run_reads(run, (enum evt_id)id, FIELDS_ALL, closing, state);
	}
}

void run_follows(struct run *run, void *state)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		struct run_readers *readers = &run->readers[id];

		for (size_t i = 0; i < readers->count; i++)
			if (readers->reader[i].state == state)
				readers->reader[i].follows = readers->follow = true;
	}
}

void run_enters(struct run *run, const void *state)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		for (size_t i = 0; i < run->readers[id].count; i++)
			run->readers[id].reader[i].enters |= run->readers[id].reader[i].state ==
							     state;
}

void run_enters_step(struct run *run, const void *state)
{
	run_enters(run, state);
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		for (size_t i = 0; i < run->readers[id].count; i++)
			run->readers[id].reader[i].needs_step |= run->readers[id].reader[i].state ==
								 state;
}

void run_leaves(struct run *run, const void *state)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		for (size_t i = 0; i < run->readers[id].count; i++)
			run->readers[id].reader[i].leaves |= run->readers[id].reader[i].state ==
							     state;
}

void run_sums(struct run *run, enum evt_id id, uint32_t fields, analysis_take *take, void *state)
{
	run_add_reader(run, id, (struct run_reader){ .take = take, .state = state });
	run->wants.sum[id] = true;
	run->wants.event[id] |= run->filters.any;
	run->wants.fields[id] |= fields;
}

void run_sums_exact(struct run *run, enum evt_id id)
{
	run->wants.exact[id] = true;
}

void run_counts(struct run *run, enum evt_id id)
{
	run->wants.event[id] |= run->filters.any;
}

void run_counts_all(struct run *run)
{
	run->counts_all = true;
}

void run_reads_heap(struct run *run, source_take_heap *take, void *state)
{
	run->heap_reader = memory_room(run->heap_reader, run->heap_reader_count,
				       &run->heap_reader_room, sizeof(*run->heap_reader));
	run->heap_reader[run->heap_reader_count++] = (struct run_heap_reader){ take, state };
	run->wants.heap = true;
}

void run_reads_stacks(struct run *run)
{
	run->wants.stacks = true;
}

static size_t run_place_of(const struct run *run, const void *state)
{
	size_t place = 0;

	while (place < run->analysis_count && run->analysis[place].state != state)
		place++;
	return place;
}

void run_order_readers(struct run *run)
{
	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++) {
		struct run_reader *reader = run->readers[id].reader;

		for (size_t i = 1; i < run->readers[id].count; i++) {
			struct run_reader moved = reader[i];
			size_t place = run_place_of(run, moved.state), at = i;

			for (; at > 0 && run_place_of(run, reader[at - 1].state) > place; at--)
				reader[at] = reader[at - 1];
			reader[at] = moved;
		}
	}
}

static void run_wants_whole(struct run *run, enum evt_id id)
{
	run->wants.event[id] = true;
	run->wants.fields[id] = FIELDS_ALL;
}

static bool is_of_range(uint32_t id)
{
	return evt_opens_range(id, EVT_OWNER_thread) || evt_closes_range(id, EVT_OWNER_thread) ||
	       evt_opens_range(id, EVT_OWNER_process) || evt_closes_range(id, EVT_OWNER_process);
}

/* Adds what the run itself must see. An event that is delivered is in no sum. */
void run_complete_wants(struct run *run)
{
	run_wants_whole(run, EVT_python_task); /* the source reads it */
	run->wants.event[EVT_capture_start] = run->wants.event[EVT_capture_stop] = true;
	run->wants.event[EVT_detail_start] = run->wants.event[EVT_detail_stop] = true;
	run_wants_whole(run, EVT_detail_asked);
	run_wants_whole(run, EVT_gpu_window);
	for (unsigned int i = 0; i < EVT_ID_LIMIT; i++) {
		run->wants.event[i] |= evt_is_between(i);
		if (run->filters.settings.range && is_of_range(i))
			run_wants_whole(run, (enum evt_id)i);
		/* event_place() reads these fields */
		if (evt_roles[i].identity)
			run->wants.fields[i] |= 1u << (evt_roles[i].identity - 1);
		if (evt_roles[i].inside)
			run->wants.fields[i] |= 1u << (evt_roles[i].inside - 1);
		run->wants.event[i] |= run->counts_all && run->filters.any;
		run->wants.sum[i] &= !run->wants.event[i];
	}
}

/* Returns whether an event that follows the selected time reaches a reader that needs it. */
static bool reads_after(uint32_t id, const struct run_reader *reader)
{
	const struct evt_role *role = evt_role_of(id);

	return reader->follows || id == EVT_thread_clock || role->opens || role->closes ||
	       role->details || role->is_deferred || role->is_timeless;
}

/* Families of which segments before and after the selected time have to be read, too. */
static void run_plan_reader(uint32_t id, const struct run_reader *reader, struct source_plan *plan)
{
	uint64_t family = 1ull << evt_descriptors[id].family;

	plan->reads |= family;
	if (!reader->enters)
		plan->before |= family;
	if (reader->needs_step)
		plan->leads |= family;
	if (!reader->leaves && reads_after(id, reader))
		plan->after |= family;
}

void run_seek(const struct run *run)
{
	const struct filter_settings *settings = &run->filters.settings;
	struct source_plan plan = { .from_ns = settings->from_ns, .to_ns = settings->to_ns };

	if (!settings->from_ns && settings->to_ns == UINT64_MAX)
		return;
	/* which ranges are open, and whose threads work for others */
	for (uint32_t id = 0; id < EVT_ID_LIMIT && settings->range; id++)
		if (evt_descriptors[id].name && is_of_range(id))
			plan.before |= 1ull << evt_descriptors[id].family;
	plan.after = plan.before;
	for (uint32_t id = 0; id < EVT_ID_LIMIT; id++) {
		const struct run_readers *readers = &run->readers[id];

		for (size_t i = 0; i < readers->count && !segment_digest_has(id); i++)
			run_plan_reader(id, &readers->reader[i], &plan);
	}
	source_seek(run->source, &plan);
}
