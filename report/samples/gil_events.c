/* SPDX-License-Identifier: MIT */
/*
 * Rows by thread and by place are in one map. The time since a thread's previous sample is added to
 * "held" or to "waiting"; waiting is also added to the holder, which is found by its kernel thread
 * id.
 */
#include "report/samples/gil_events.h"

#include <stdlib.h>

#include "report/options/keys.h"

static struct gil_counts *counts_at(struct gil *gil, uint64_t key, const struct gil_row *row)
{
	bool added;
	struct map_entry *entry = map_put(&gil->rows, key, &added);

	if (added) {
		gil->row = memory_room(gil->row, gil->row_count, &gil->row_room, sizeof(*gil->row));
		gil->row[gil->row_count] = *row;
		entry->value = gil->row_count++;
	}
	return &gil->row[entry->value].counts;
}

static struct gil_counts *counts_of_place(struct gil *gil, uint64_t place)
{
	return counts_at(gil, place * 2 + 2, &(struct gil_row){ .place = place });
}

static struct gil_counts *counts_of_thread(struct gil *gil, const struct source_thread *thread)
{
	return counts_at(gil, (uint64_t)thread->index * 2 + 1,
			 &(struct gil_row){ thread, 0, { 0 } });
}

/* The kernel reuses thread ids: the latest thread with that id is meant. */
static const struct source_thread *gil_events_thread_of(const struct source_event *event,
							uint64_t tid)
{
	const struct source_thread *found = NULL;

	for (const struct source_thread *thread = event->process->first_thread; thread;
	     thread = thread->next)
		if (thread->tid == tid && (!found || thread->start_ns >= found->start_ns))
			found = thread;
	return found;
}

static const struct source_thread *holder_of(struct gil *gil, const struct source_event *event,
					     uint64_t tid)
{
	const struct source_process *process = event->process;

	if (gil->holder.process != process || gil->holder.tid != tid ||
	    gil->holder.newest != process->last_thread) {
		gil->holder.process = process;
		gil->holder.tid = tid;
		gil->holder.newest = process->last_thread;
		gil->holder.thread = gil_events_thread_of(event, tid);
	}
	return gil->holder.thread;
}

/* Returns the time since the previous sample; 0 for the first one. */
static uint64_t gil_events_passed_of(struct gil *gil, const struct source_event *event, bool begins)
{
	uint64_t time_ns = event->event.time_ns, before_ns;
	uint32_t index = event->thread->index;

	gil->last_ns = memory_room(gil->last_ns, index, &gil->last_room, sizeof(*gil->last_ns));
	before_ns = gil->last_ns[index];
	gil->last_ns[index] = time_ns;
	if (begins || !before_ns || time_ns < before_ns || time_ns - before_ns > SAMPLE_WAIT_MAX_NS)
		return 0;
	return time_ns - before_ns;
}

/*
 * Two threads may be sampled with the GIL at nearly the same moment: time that the first sample
 * counts is not counted by the second.
 */
static uint64_t gil_events_held_of(struct gil *gil, const struct source_event *event,
				   uint64_t passed_ns)
{
	uint64_t time_ns = event->event.time_ns, *until_ns;
	uint32_t index = event->process->index;

	gil->held_until_ns = memory_room(gil->held_until_ns, index, &gil->held_room,
					 sizeof(*gil->held_until_ns));
	until_ns = &gil->held_until_ns[index];
	if (*until_ns >= time_ns)
		return 0;
	if (passed_ns > time_ns - *until_ns)
		passed_ns = time_ns - *until_ns;
	*until_ns = time_ns;
	return passed_ns;
}

static void gil_events_take_wait(struct gil *gil, const struct source_event *event,
				 const struct evt_python_sample *sample, uint64_t passed_ns)
{
	const struct source_thread *holder = sample->holder ? holder_of(gil, event, sample->holder)
							    : NULL;

	gil->all.wait_ns += passed_ns;
	counts_of_thread(gil, event->thread)->wait_ns += passed_ns;
	counts_of_place(gil, sample_place_key(event, sample->place))->wait_ns += passed_ns;
	if (!holder) {
		gil->unknown_ns += passed_ns;
		return;
	}
	gil->all.blocked_ns += passed_ns;
	counts_of_thread(gil, holder)->blocked_ns += passed_ns;
	counts_of_place(gil, sample->holder_place ? sample_place_key(event, sample->holder_place)
						  : SAMPLE_TORN_PLACE)
		->blocked_ns += passed_ns;
}

static void counts_hold(struct gil_counts *counts, uint64_t passed_ns)
{
	counts->looks++;
	counts->held_ns += passed_ns;
}

/* The samples before the selected time bound the time of the first ones inside of it. */
static void take_hold(struct gil *gil, const struct source_event *event,
		      const struct evt_python_sample *sample, uint64_t held_ns, bool is_counted)
{
	uint64_t place = sample->state == EVT_PYTHON_TORN ? SAMPLE_TORN_PLACE
							  : sample_place_key(event, sample->place);

	if (!is_counted)
		return;
	counts_hold(&gil->all, held_ns);
	counts_hold(counts_of_thread(gil, event->thread), held_ns);
	counts_hold(counts_of_place(gil, place), held_ns);
}

static void gil_events_take_sample(void *state, const struct source_event *event, bool is_counted)
{
	struct gil *gil = state;
	const struct evt_python_sample *sample = EVENT_AS(python_sample, &event->event);
	uint64_t passed_ns = gil_events_passed_of(gil, event, !sample->looks);
	bool waits = sample->state == EVT_PYTHON_GIL;

	if (!sample->looks)
		return;
	if (!waits && sample->holder && sample->holder == event->thread->tid)
		take_hold(gil, event, sample, gil_events_held_of(gil, event, passed_ns),
			  is_counted);
	else if (waits && is_counted)
		gil_events_take_wait(gil, event, sample, passed_ns);
}

static void gil_events_start(void *state, struct run *run, const void *options)
{
	struct gil *gil = state;

	(void)options;
	map_init(&gil->rows);
	gil->samples = samples_want(run, &(struct samples_options){ .by = BY_lines_line });
	run_reads(run, EVT_python_sample, FIELDS_ALL, gil_events_take_sample, gil);
	run_seeks(run, state);
}

static void gil_events_release(void *state)
{
	struct gil *gil = state;

	map_release(&gil->rows);
	free(gil->row);
	free(gil->last_ns);
	free(gil->held_until_ns);
}

const struct analysis_kind analysis_gil = {
	.name = "gil",
	.state_bytes = sizeof(struct gil),
	.options_bytes = sizeof(struct gil_options),
	.start = gil_events_start,
	.release = gil_events_release,
};
