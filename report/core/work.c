/* SPDX-License-Identifier: MIT */
/*
 * Arrays of counters by thread and by process, once for events that count and once for the others.
 */
#include "report/core/work.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/why_empty.h"

_Static_assert(WORK_LIMIT <= 32, "counters are bits of a word");

#define WORK(name, family, provider) extern const struct analysis_kind analysis_##provider;
#include "report/families.def"

static const struct {
	const char *name;
	enum evt_family family;
	const struct analysis_kind *provider;
} counters[WORK_LIMIT] = {
#define WORK(name, family, provider) \
	[WORK_##name] = { #name, EVT_FAMILY_##family, &analysis_##provider },
#include "report/families.def"
};

struct listener {
	works_listener *take;
	void *state;
};

struct works {
	struct run *run;
	/* by index; [1] of events that count, [0] of the others */
	struct work (*thread)[2], (*process)[2];
	size_t thread_room, process_room;
	struct work *deferred_thread, *deferred_process; /* of events that count */
	size_t deferred_thread_room, deferred_process_room;
	bool has_deferred;
	struct listener *listener;
	size_t listener_count, listener_room;
	bool has_sums;
	enum work_id sum_events, sum_bytes;
};

static void works_start(void *state, struct run *run, const void *options)
{
	(void)options;
	((struct works *)state)->run = run;
}

static void works_release(void *state)
{
	struct works *works = state;

	free(works->thread);
	free(works->process);
	free(works->deferred_thread);
	free(works->deferred_process);
	free(works->listener);
}

static const struct analysis_kind analysis_works = {
	.name = "works",
	.state_bytes = sizeof(struct works),
	.start = works_start,
	.release = works_release,
};

struct works *works_provide(struct run *run)
{
	return run_want(run, &analysis_works, NULL);
}

struct works *works_want(struct run *run, uint32_t wanted)
{
	for (unsigned int i = 0; i < WORK_LIMIT; i++)
		if (wanted & 1u << i)
			(void)run_want(run, counters[i].provider, NULL);
	return works_provide(run);
}

void works_listen(struct works *works, works_listener *take, void *state)
{
	works->listener = memory_room(works->listener, works->listener_count, &works->listener_room,
				      sizeof(*works->listener));
	works->listener[works->listener_count++] = (struct listener){ take, state };
}

void works_take_sums(struct works *works, enum work_id events, enum work_id bytes)
{
	works->has_sums = true;
	works->sum_events = events;
	works->sum_bytes = bytes;
}

struct work *works_at_thread(struct works *works, const struct source_event *event, bool counts)
{
	uint32_t index = event->thread->index;

	if (index >= works->thread_room)
		works->thread = memory_room(works->thread, index, &works->thread_room,
					    sizeof(*works->thread));
	return &works->thread[index][counts];
}

struct work *works_at_process(struct works *works, const struct source_event *event, bool counts)
{
	uint32_t index = event->process->index;

	if (index >= works->process_room)
		works->process = memory_room(works->process, index, &works->process_room,
					     sizeof(*works->process));
	return &works->process[index][counts];
}

static uint64_t *work_at(struct work *work, enum work_id id)
{
	return &((uint64_t *)work)[id];
}

static void works_tell(const struct works *works, const struct source_event *event, bool counts,
		       const struct work *work)
{
	for (size_t i = 0; i < works->listener_count; i++)
		works->listener[i].take(works->listener[i].state, event, counts, work);
}

void works_put(struct works *works, const struct source_event *event, bool counts,
	       const struct work *work)
{
	work_add(works_at_thread(works, event, counts), work);
	work_add(works_at_process(works, event, counts), work);
	works_tell(works, event, counts, work);
}

void works_put_one(struct works *works, const struct source_event *event, bool counts,
		   enum work_id id, uint64_t value)
{
	*work_at(works_at_thread(works, event, counts), id) += value;
	*work_at(works_at_process(works, event, counts), id) += value;
	if (works->listener_count) {
		struct work work = { 0 };

		*work_at(&work, id) = value;
		works_tell(works, event, counts, &work);
	}
}

void works_note_deferred(struct works *works)
{
	works->has_deferred = true;
}

bool works_have_deferred(const struct run *run)
{
	const struct works *works = run_look(run, &analysis_works);

	return works && works->has_deferred;
}

struct work *works_deferred_at_thread(struct works *works, uint32_t thread)
{
	works->deferred_thread = memory_room(works->deferred_thread, thread,
					     &works->deferred_thread_room,
					     sizeof(*works->deferred_thread));
	return &works->deferred_thread[thread];
}

struct work *works_deferred_at_process(struct works *works, uint32_t process)
{
	works->deferred_process = memory_room(works->deferred_process, process,
					      &works->deferred_process_room,
					      sizeof(*works->deferred_process));
	return &works->deferred_process[process];
}

static void works_add_sum(const struct works *works, struct work *work, const struct block_sum *sum)
{
	if (!works->has_sums)
		return;
	*work_at(work, works->sum_events) += sum->events;
	*work_at(work, works->sum_bytes) += sum->bytes;
}

static struct work both(const struct work work[2])
{
	struct work sum = work[0];

	work_add(&sum, &work[1]);
	return sum;
}

struct work works_of_thread(const struct works *works, const struct source_thread *thread)
{
	struct work work = { 0 };

	if (thread->index < works->thread_room)
		work = both(works->thread[thread->index]);
	works_add_sum(works, &work, &thread->sum);
	return work;
}

struct work works_of_process(const struct works *works, const struct source_process *process)
{
	struct work work = { 0 };

	if (process->index < works->process_room)
		work = both(works->process[process->index]);
	works_add_sum(works, &work, &process->sum);
	return work;
}

/* What was only added up in sums was not filtered: in that case there are no filters. */
struct work works_counted_of_thread(const struct works *works, const struct source_thread *thread)
{
	struct work work = { 0 };

	if (thread->index < works->thread_room)
		work = works->thread[thread->index][1];
	if (thread->index < works->deferred_thread_room)
		work_add(&work, &works->deferred_thread[thread->index]);
	if (!run_filters(works->run)->any)
		works_add_sum(works, &work, &thread->sum);
	return work;
}

struct work works_counted_of_process(const struct works *works,
				     const struct source_process *process)
{
	struct work work = { 0 };

	if (process->index < works->process_room)
		work = works->process[process->index][1];
	if (process->index < works->deferred_process_room)
		work_add(&work, &works->deferred_process[process->index]);
	if (!run_filters(works->run)->any)
		works_add_sum(works, &work, &process->sum);
	return work;
}

/* --- in tables --- */

static enum column_id work_column_of(const char *report, const char *name)
{
	unsigned int i = 0;

	while (i < COLUMN_ID_LIMIT && (strcmp(column_list[i].report, report) != 0 ||
				       strcmp(column_list[i].name, name) != 0))
		i++;
	return (enum column_id)i;
}

/* Returns whether its events are deferred work. */
static bool is_deferred(enum evt_family family)
{
	bool is = false;

	for (unsigned int id = 0; id < EVT_ID_LIMIT; id++)
		is |= evt_roles[id].is_deferred && evt_descriptors[id].family == family;
	return is;
}

/*
 * Returns whether the family was not recorded; for deferred work, also if the process had no
 * device.
 */
static bool is_absent(const struct run *run, enum evt_family family)
{
	return why_empty_is_off(run, family) || (!works_have_deferred(run) && is_deferred(family));
}

struct work_columns work_columns_of(const char *report, const struct run *run)
{
	struct work_columns columns;

	for (unsigned int i = 0; i < WORK_LIMIT; i++)
		columns.column[i] = run && is_absent(run, counters[i].family)
					    ? COLUMN_ID_LIMIT
					    : work_column_of(report, counters[i].name);
	return columns;
}

void work_put_columns(const struct work_columns *columns, struct table *table,
		      const struct work *work)
{
	for (unsigned int i = 0; i < WORK_LIMIT; i++)
		if (columns->column[i] != COLUMN_ID_LIMIT)
			table_set_number(table, columns->column[i], ((const uint64_t *)work)[i]);
}

uint32_t work_bits_of(const char *report)
{
	uint32_t bits = 0;

	for (unsigned int i = 0; i < WORK_LIMIT; i++)
		if (work_column_of(report, counters[i].name) != COLUMN_ID_LIMIT)
			bits |= 1u << i;
	return bits;
}
