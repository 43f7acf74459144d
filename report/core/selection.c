/* SPDX-License-Identifier: MIT */
/*
 * Applies the filters to each event in order of time. For --range it follows which ranges of that
 * name are open, by thread and by process.
 */
#include "report/core/selection.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"
#include "report/core/owners.h"
#include "report/core/windows.h"

struct filter_process {
	uint32_t open;    /* ranges of that name that hold for the whole process */
	uint32_t started; /* of these, those that belong to no thread */
	uint32_t cuts;    /* ranges from before a cut have ended */
};

static open_range_ended filter_range_ended;

void selection_init(struct selection *filters, const struct filter_settings *settings)
{
	*filters = (struct selection){ .settings = *settings };
	filters->any = filter_is_set(settings);
	open_ranges_init(&filters->ranges, filter_range_ended, filters);
	for (int kind = 0; kind < EVT_SCOPE_KIND_LIMIT; kind++)
		map_init(&filters->started[kind]);
	if (!settings->range)
		return;
	filters->owners = owners_new();
}

void selection_release(struct selection *filters)
{
	owners_free(filters->owners);
	open_ranges_release(&filters->ranges);
	free(filters->thread);
	free(filters->process);
	for (int kind = 0; kind < EVT_SCOPE_KIND_LIMIT; kind++)
		map_release(&filters->started[kind]);
}

static struct filter_process *selection_process_at(struct selection *filters, uint32_t process)
{
	filters->process = memory_room(filters->process, process, &filters->process_room,
				       sizeof(*filters->process));
	return &filters->process[process];
}

/* Returns the number of open ranges of that name that hold for the thread. */
static uint32_t *selection_open_on(struct selection *filters, uint32_t thread)
{
	filters->thread = memory_room(filters->thread, thread, &filters->thread_room,
				      sizeof(*filters->thread));
	return &filters->thread[thread];
}

/* Adds to the number for the thread, or for the process. */
static void selection_add(struct selection *filters, uint32_t thread, uint32_t process,
			  uint32_t more)
{
	if (filters->settings.during)
		selection_process_at(filters, process)->open += more;
	else
		*selection_open_on(filters, thread) += more;
}

static void filter_range_ended(void *state, const struct open_range *range, uint32_t thread,
			       uint32_t process)
{
	if (range->is_wanted)
		selection_add(state, thread, process, -(uint32_t)1);
}

void selection_cut(struct selection *filters, struct nest_place place)
{
	open_ranges_cut(&filters->ranges, place, NEST_CUT);
	if (filters->owners)
		owners_cut(filters->owners, place.thread);
}

void selection_cut_started(struct selection *filters, uint32_t index)
{
	struct filter_process *process = selection_process_at(filters, index);

	process->open -= process->started;
	process->started = 0;
	process->cuts++;
}

/* Returns the key of a range of the process, among ranges of its kind. */
static uint64_t selection_started_key(const struct map *of_kind, const struct source_event *event)
{
	return map_key_of(of_kind, event->process->index,
			  evt_part(&event->event, evt_role_of(event->event.id)->key));
}

static void selection_start(struct selection *filters, const struct source_event *event)
{
	struct filter_process *process = selection_process_at(filters, event->process->index);
	struct map *of_kind = &filters->started[evt_role_of(event->event.id)->opens];
	struct map_entry *started;
	bool added;

	filters->seen = true;
	started = map_put(of_kind, selection_started_key(of_kind, event), &added);
	if (!added && started->value == process->cuts)
		return;
	started->value = process->cuts;
	process->started++;
	process->open++;
}

static void selection_end(struct selection *filters, const struct source_event *event)
{
	struct filter_process *process = selection_process_at(filters, event->process->index);
	struct map *of_kind = &filters->started[evt_role_of(event->event.id)->closes];
	struct map_entry *started = map_find(of_kind, selection_started_key(of_kind, event));
	bool is_open = started && started->value == process->cuts;

	if (started)
		map_remove(of_kind, started);
	process->started -= is_open;
	process->open -= is_open;
}

/* Returns whether the range is open on the event's thread, or on the thread for which it works. */
static bool selection_is_open(struct selection *filters, const struct source_event *event)
{
	uint32_t thread = event->thread->index, owner = owners_of(filters->owners, thread);

	return selection_process_at(filters, event->process->index)->open > 0 ||
	       *selection_open_on(filters, thread) > 0 ||
	       (owner != NEST_NONE && *selection_open_on(filters, owner) > 0);
}

/* An opening event is noted before its verdict. */
static void selection_note_open(struct selection *filters, struct source *source,
				const struct source_event *event)
{
	struct open_range *opened;
	uint64_t title;

	if (evt_opens_range(event->event.id, EVT_OWNER_process)) {
		if (event_range_title(&event->event, &title) &&
		    source_name_is(source_name_of(source, event->file, title),
				   filters->settings.range))
			selection_start(filters, event);
		return;
	}
	opened = open_ranges_take_opening(&filters->ranges, source, event);
	if (!opened ||
	    !source_name_is(source_name_at(source, opened->name), filters->settings.range))
		return;
	opened->is_wanted = true;
	filters->seen = true;
	selection_add(filters, event->thread->index, event->process->index, 1);
}

/* A closing event is noted after its verdict. */
static void selection_note_close(struct selection *filters, struct source *source,
				 const struct source_event *event)
{
	if (evt_closes_range(event->event.id, EVT_OWNER_process))
		selection_end(filters, event);
	else
		open_ranges_take_closing(&filters->ranges, source, event);
}

/*
 * Returns whether the event, beyond the selected time, still matters for scopes that began inside
 * of it.
 */
static bool event_is_followed(uint32_t id)
{
	const struct evt_role *role = evt_role_of(id);

	return role->opens || role->closes || role->details || role->is_deferred ||
	       role->is_timeless;
}

/*
 * An event that ends one scope and begins the next (a step) belongs to the one that it ends: so its
 * time counts as a moment earlier.
 */
static uint64_t selection_time_of(const struct filter_settings *settings,
				  const struct source_event *event)
{
	uint64_t time_ns = event->event.time_ns;
	const struct evt_role *role = evt_role_of(event->event.id);
	bool is_between = role->closes && role->closes == role->opens;

	return time_ns - (settings->windows && is_between && time_ns);
}

static bool rank_counts(const struct filter_settings *settings, uint64_t rank)
{
	return rank != UINT64_MAX && rank >= settings->rank_from && rank <= settings->rank_to;
}

enum filter_verdict selection_judge(struct selection *filters, struct source *source,
				    const struct source_event *event)
{
	const struct filter_settings *settings = &filters->settings;
	uint64_t time_ns = selection_time_of(settings, event);
	bool inside = true;

	if (!filters->any)
		return FILTER_COUNTS;
	if (settings->pid != FILTER_NO_ID && event->process->pid != settings->pid)
		return FILTER_OUT;
	if (settings->has_rank && !rank_counts(settings, source_rank(source, event->process)))
		return FILTER_OUT;
	if (settings->range) {
		selection_note_open(filters, source, event);
		owners_take(filters->owners, source, event);
		inside = selection_is_open(filters, event);
		selection_note_close(filters, source, event);
	}
	if (settings->tid != FILTER_NO_ID && event->thread->tid != settings->tid)
		inside = false;
	if (time_ns < settings->from_ns || time_ns < event->file->kept_from_ns)
		inside = false;
	if (inside && settings->windows)
		inside = windows_hold_thread(settings->windows, event->file->index,
					     event->process->number, event->thread->tid, time_ns);
	if (time_ns >= settings->to_ns)
		return event_is_followed(event->event.id) ? FILTER_PASSES_BY : FILTER_BEYOND;
	return inside ? FILTER_COUNTS : FILTER_PASSES_BY;
}
