/* SPDX-License-Identifier: MIT */
/*
 * Adds each sample to the row of its key. The event native_sampling has running counters of a
 * process, so the difference to the previous event is added.
 */
#include "report/native/native_events.h"

#include <stdlib.h>

#include "report/core/why_empty.h"
#include "report/session/limitations.h"

struct state {
	struct native_reading reading; /* must be first: others see only this part */
	struct run *run;
	struct evt_native_sampling *told; /* by process: its previous event */
	size_t told_room;
};

void native_counts_add(struct native_counts *into, const struct native_counts *more)
{
	into->samples += more->samples;
	into->cpu_ns += more->cpu_ns;
	into->kernel_ns += more->kernel_ns;
}

static bool is_recorded(const struct run *run, const struct source_process *process)
{
	const struct recorded_time *recorded = run_captured(run);

	return !why_empty_capture(run) ||
	       (process->index < recorded->room && recorded->open[process->index]);
}

static struct native_row *native_events_row_of(struct native_reading *reading, uint64_t key)
{
	bool added;
	struct map_entry *entry = map_put(&reading->rows, key + 1, &added);

	if (added) {
		reading->row = memory_room(reading->row, reading->row_count, &reading->row_room,
					   sizeof(*reading->row));
		reading->row[reading->row_count] = (struct native_row){ .key = key };
		entry->value = reading->row_count++;
	}
	return &reading->row[entry->value];
}

static void native_events_take_sample(void *state, const struct source_event *event,
				      bool is_counted)
{
	struct state *mine = state;
	struct native_reading *reading = &mine->reading;
	const struct evt_native_sample *sample = EVENT_AS(native_sample, &event->event);
	struct native_counts counts = { 1, sample->cpu_ns, sample->in_kernel ? sample->cpu_ns : 0 };
	uint64_t key;

	if (!is_counted || !is_recorded(mine->run, event->process))
		return;
	key = reading->stack_keys ? stack_keys_of(reading->stack_keys, event)
				  : key_of(&reading->key, event);
	native_counts_add(&native_events_row_of(reading, key)->counts, &counts);
	native_counts_add(&reading->all, &counts);
}

/* The counters of an earlier event of the process are contained in these. */
static void native_events_sums_add(struct evt_native_sampling *sums,
				   const struct evt_native_sampling *now,
				   const struct evt_native_sampling *told)
{
	sums->lost += now->lost - told->lost;
	sums->dropped += now->dropped - told->dropped;
	sums->no_table += now->no_table - told->no_table;
	sums->no_file += now->no_file - told->no_file;
	sums->no_stack += now->no_stack - told->no_stack;
	sums->too_deep += now->too_deep - told->too_deep;
	sums->no_rule += now->no_rule - told->no_rule;
	sums->partial += now->partial - told->partial;
	sums->user_only |= now->user_only;
	sums->period_ns = now->period_ns;
}

static void native_events_take_sampling(void *state, const struct source_event *event, bool counts)
{
	struct state *mine = state;
	struct native_reading *reading = &mine->reading;
	const struct evt_native_sampling *now = EVENT_AS(native_sampling, &event->event);
	const struct source_process *process = source_process_of(event->file, now->process);
	struct evt_native_sampling *told;

	(void)counts;
	if (!process)
		return;
	mine->told = memory_room(mine->told, process->index, &mine->told_room, sizeof(*mine->told));
	told = &mine->told[process->index];
	native_events_sums_add(&reading->sums, now, told);
	reading->is_said |= limitation_concerns(process, 1ull << EVT_FAMILY_native_samples);
	if (now->off && now->off < EVT_NATIVE_OFF_LIMIT)
		reading->off[now->off] += !told->off;
	else
		reading->followed += !told->period_ns;
	*told = *now;
}

static void native_events_start(void *state, struct run *run, const void *options)
{
	const struct native_events_options *asked = options;
	struct state *mine = state;

	mine->run = run;
	mine->reading.key = run_key(run, asked->by);
	if (!mine->reading.key.kind)
		mine->reading.stack_keys = stack_keys_want_own(run, STACK_BY_STACK);
	map_init(&mine->reading.rows);
	run_reads(run, EVT_native_sample, FIELDS_ALL, native_events_take_sample, mine);
	run_reads(run, EVT_native_sampling, FIELDS_ALL, native_events_take_sampling, mine);
	run_enters(run, mine);
	run_leaves(run, mine);
}

static void native_events_release(void *state)
{
	struct state *mine = state;

	map_release(&mine->reading.rows);
	free(mine->reading.row);
	free(mine->told);
}

const struct analysis_kind analysis_native_events = {
	.name = "native samples",
	.state_bytes = sizeof(struct state),
	.options_bytes = sizeof(struct native_events_options),
	.start = native_events_start,
	.release = native_events_release,
};

const char *native_off_text(unsigned int off)
{
	return off && off < EVT_NATIVE_OFF_LIMIT ? limitation_sentence(LIMITATION_native_refused +
								       off - EVT_NATIVE_OFF_REFUSED)
						 : NULL;
}

const char *native_why_none(const struct native_reading *native)
{
	if (native->followed)
		return NULL;
	for (unsigned int i = 0; i < EVT_NATIVE_OFF_LIMIT; i++)
		if (native->off[i])
			return native_off_text(i);
	return NULL;
}
