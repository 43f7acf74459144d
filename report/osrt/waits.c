/* SPDX-License-Identifier: MIT */
/*
 * Rows are groups by key. A second set of groups has the time of each row by function, object,
 * holder and line; the largest of each is shown. Rows are joined by the number of their group, so
 * shares follow them.
 */
#include "report/osrt/waits.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

static uint64_t wait_key(const struct waits *waits, const struct source_event *event,
			 uint64_t function, uint64_t object, uint64_t holder, uint64_t kind)
{
	switch (waits->by) {
	case BY_osrt_sum_function:
		return function;
	case BY_osrt_sum_object:
		return object;
	case BY_osrt_sum_kind:
		return kind < WAIT_OBJECT_LIMIT ? kind : 0;
	case BY_osrt_sum_holder:
		return holder;
	default:
		return key_of(&waits->key, event);
	}
}

static struct waits_place waits_place_of(struct waits *waits, const struct source_event *event,
					 const struct wait_told *told, bool counts)
{
	struct wait_events *events = &waits->events;
	uint32_t process = event->process->index;
	struct waits_place wait = {
		.function = source_name_of(events->source, event->file, told->function)->index,
		.object = wait_objects_of(&events->objects, process, told->kind, told->object),
		.holder = told->owner ? waits_holder(process, told->owner) : 0,
		.counts = counts,
	};

	/* whoever asks for the line counts as a wait that has a stack, or none */
	if (counts && waits->has_lines && told->how != WAIT_SHORT)
		wait.line = key_of(&waits->line, event);
	if (counts)
		wait.key = wait_key(waits, event, wait.function, wait.object, wait.holder,
				    told->kind);
	return wait;
}

static void waits_count_share(struct waits *waits, size_t row, enum waits_most most, uint64_t value,
			      uint64_t duration_ns)
{
	const uint64_t key[GROUP_WORDS] = { row, most, value };

	if (value)
		groups_add(&waits->share, key, &(struct group_call){ .duration_ns = duration_ns });
}

static size_t waits_row(struct waits *waits, uint64_t key)
{
	return groups_place(&waits->groups, (const uint64_t[GROUP_WORDS]){ key });
}

/* A row that is new may move the others. */
static double *waits_sums(struct waits *waits, uint64_t key)
{
	size_t row = waits_row(waits, key);

	return group_sums(&waits->groups.group[row]);
}

static void waits_count(struct waits *waits, const struct waits_place *wait, uint64_t duration_ns,
			bool failed)
{
	size_t row;

	if (!wait->counts)
		return;
	row = waits_row(waits, wait->key);
	groups_add(&waits->groups, waits->groups.group[row].key,
		   &(struct group_call){ .duration_ns = duration_ns, .failed = failed });
	waits_count_share(waits, row, WAITS_FUNCTION, wait->function, duration_ns);
	waits_count_share(waits, row, WAITS_OBJECT, wait->object, duration_ns);
	waits_count_share(waits, row, WAITS_HOLDER, wait->holder, duration_ns);
	waits_count_share(waits, row, WAITS_LINE, wait->line, duration_ns);
}

/* It had no end: it lasted up to the end of its process or of the recording. */
static void waits_count_open(struct waits *waits, const struct waits_place *wait,
			     uint64_t duration_ns)
{
	if (!wait->counts)
		return;
	waits_count(waits, wait, duration_ns, false);
	waits_sums(waits, wait->key)[WAITS_OPEN]++;
	waits->open++;
}

static void waits_count_short(struct waits *waits, const struct source_event *event,
			      const struct wait_told *told)
{
	struct waits_place wait;
	double *sum;

	if (!waits->has_short)
		return;
	waits->short_calls += told->calls;
	waits->short_ns += told->duration_ns;
	if (waits->by != BY_osrt_sum_function && waits->by != BY_osrt_sum_thread &&
	    waits->by != BY_osrt_sum_process)
		return;
	wait = waits_place_of(waits, event, told, true);
	sum = waits_sums(waits, wait.key);
	sum[WAITS_SHORT_CALLS] += (double)told->calls;
	sum[WAITS_SHORT_NS] += (double)told->duration_ns;
}

static struct waits_place *waits_pending_of(struct waits *waits, const struct source_event *event)
{
	waits->pending = memory_room(waits->pending, event->thread->index, &waits->pending_room,
				     sizeof(*waits->pending));
	return &waits->pending[event->thread->index];
}

static void waits_take(void *state, const struct source_event *event, const struct wait_told *told,
		       bool counts)
{
	uint64_t now_ns = event->event.time_ns;
	struct waits *waits = state;
	struct waits_place wait;

	if (told->how == WAIT_SHORT) {
		waits_count_short(waits, event, told);
		return;
	}
	wait = waits_place_of(waits, event, told, counts);
	waits_pending_of(waits, event)->begin_ns = 0;
	switch (told->how) {
	case WAIT_ENDED:
		waits_count(waits, &wait, told->duration_ns, told->failed);
		break;
	case WAIT_GOES_ON:
		wait.begin_ns = now_ns > told->duration_ns ? now_ns - told->duration_ns : 1;
		*waits_pending_of(waits, event) = wait;
		break;
	default:
		waits_count_open(waits, &wait, told->duration_ns);
		break;
	}
}

/* --- the analysis --- */

static void waits_start(void *state, struct run *run, const void *options)
{
	const struct waits_options *asked = options;
	struct waits *waits = state;

	waits->by = asked->by;
	waits->key = run_key(run, asked->by);
	waits->has_lines = asked->line != asked->by;
	if (waits->has_lines)
		waits->line = run_key(run, asked->line);
	waits->has_short = !run_filters(run)->any;
	groups_init(&waits->groups);
	groups_init(&waits->share);
	wait_events_start(&waits->events, run, waits_take);
}

static void waits_lose(void *state, const struct source_process *process)
{
	wait_events_lose(state, process);
}

static void waits_finish(void *state)
{
	struct waits *waits = state;
	uint64_t end_ns = source_end_ns(waits->events.source);

	for (size_t i = 0; i < waits->pending_room; i++) {
		struct waits_place *wait = &waits->pending[i];

		if (wait->begin_ns && end_ns > wait->begin_ns)
			waits_count_open(waits, wait, end_ns - wait->begin_ns);
	}
}

static void waits_release(void *state)
{
	struct waits *waits = state;

	wait_events_release(&waits->events);
	groups_release(&waits->groups);
	groups_release(&waits->share);
	free(waits->pending);
	free(waits->most);
}

const struct analysis_kind analysis_waits = {
	.name = "waits",
	.state_bytes = sizeof(struct waits),
	.options_bytes = sizeof(struct waits_options),
	.start = waits_start,
	.lose = waits_lose,
	.finish = waits_finish,
	.release = waits_release,
};

/* --- rows --- */

/* Where each row went when rows were joined: rows with the same key are one. */
static size_t *joined_rows(const struct groups *groups)
{
	size_t *first = memory_zero(groups->count + 1, sizeof(*first));
	struct map rows;
	bool added;

	map_init(&rows);
	for (size_t i = 0; i < groups->count; i++) {
		struct map_entry *row = map_put(
			&rows,
			map_hash_bytes(groups->group[i].key, sizeof(groups->group[i].key), 0),
			&added);

		if (added)
			row->value = i;
		first[i] = row->value;
	}
	map_release(&rows);
	return first;
}

static void join_shares(struct groups *share)
{
	size_t *first = joined_rows(share);

	for (size_t i = 0; i < share->count; i++)
		if (first[i] != i)
			group_move(&share->group[first[i]], &share->group[i]);
	free(first);
}

/* Of two with the same time, the one that came first. */
static void waits_find_most(struct waits *waits)
{
	waits->most = memory_zero((waits->groups.count + 1) * WAITS_MOST, sizeof(*waits->most));
	for (size_t i = 0; i < waits->share.count; i++) {
		const struct group *group = &waits->share.group[i];
		struct waits_share *most = &waits->most[group->key[WAITS_SHARE_ROW] * WAITS_MOST +
							group->key[WAITS_SHARE_OF]];

		if (!group->time.count || group->key[WAITS_SHARE_VALUE] == KEY_LEFT_OUT ||
		    (most->value && group->time.total_ns <= most->total_ns))
			continue;
		*most = (struct waits_share){ group->key[WAITS_SHARE_VALUE], group->time.total_ns };
	}
}

void waits_settle(struct waits *waits)
{
	struct groups *share = &waits->share;
	size_t *first;

	key_settle_groups(&waits->key, &waits->groups, WAITS_ROW_KEY);
	first = joined_rows(&waits->groups);
	for (size_t i = 0; i < share->count; i++) {
		uint64_t *key = share->group[i].key;

		key[WAITS_SHARE_ROW] = first[key[WAITS_SHARE_ROW]];
		if (key[WAITS_SHARE_OF] == WAITS_LINE)
			key[WAITS_SHARE_VALUE] = key_settle(&waits->line, key[WAITS_SHARE_VALUE]);
	}
	free(first);
	join_shares(share);
	waits_find_most(waits);
}

uint64_t waits_most_of(const struct waits *waits, size_t row, enum waits_most most)
{
	return waits->most[row * WAITS_MOST + most].value;
}
