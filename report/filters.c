/* SPDX-License-Identifier: MIT */
/* Which events count: see filters.h. */
#include "report/filters.h"

#include <stdlib.h>
#include <string.h>

#include "report/memory.h"

/* The push/pop ranges open on a thread: one entry each, whether it has the name or not. */
struct filter_open {
	const struct source_name *domain;
	bool named, closed;
};

struct filter_thread {
	struct filter_open *open;
	size_t count, room;
	uint32_t named; /* of them, open and of that name */
};

void filters_init(struct filters *filters, const struct filter_settings *settings)
{
	*filters = (struct filters){ .settings = *settings };
	filters->any = settings->pid != FILTER_NO_ID || settings->tid != FILTER_NO_ID ||
		       settings->from_ns || settings->to_ns != UINT64_MAX || settings->range;
	map_init(&filters->started);
}

void filters_release(struct filters *filters)
{
	for (size_t i = 0; i < filters->thread_room; i++)
		free(filters->thread[i].open);
	free(filters->thread);
	free(filters->open);
	map_release(&filters->started);
}

static uint32_t *filters_open_of(struct filters *filters, const struct source_process *process)
{
	filters->open = memory_room(filters->open, process->index, &filters->open_room,
				    sizeof(*filters->open));
	return &filters->open[process->index];
}

static struct filter_thread *filters_thread_of(struct filters *filters,
					       const struct source_thread *thread)
{
	filters->thread = memory_room(filters->thread, thread->index, &filters->thread_room,
				      sizeof(*filters->thread));
	return &filters->thread[thread->index];
}

static bool name_is(const struct source_name *name, const char *text)
{
	return name->text && name->length == strlen(text) &&
	       !memcmp(name->text, text, name->length);
}

/* Adds to what is open for the thread, or for the process. */
static void filters_add(struct filters *filters, const struct source_event *event, uint32_t more)
{
	if (filters->settings.during)
		*filters_open_of(filters, event->process) += more;
	else
		filters_thread_of(filters, event->thread)->named += more;
}

static void filters_push(struct filters *filters, const struct source_event *event,
			 const struct source_name *domain, const struct source_name *name)
{
	struct filter_thread *thread = filters_thread_of(filters, event->thread);
	bool named = name_is(name, filters->settings.range);

	thread->open = memory_room(thread->open, thread->count, &thread->room,
				   sizeof(*thread->open));
	thread->open[thread->count++] = (struct filter_open){ domain, named, false };
	filters->seen |= named;
	filters_add(filters, event, named);
}

static void filters_pop(struct filters *filters, const struct source_event *event,
			const struct source_name *domain)
{
	struct filter_thread *thread = filters_thread_of(filters, event->thread);

	for (size_t i = thread->count; i-- > 0;) {
		struct filter_open *open = &thread->open[i];

		if (open->closed || open->domain != domain)
			continue;
		open->closed = true;
		filters_add(filters, event, -(uint32_t)open->named);
		break;
	}
	while (thread->count && thread->open[thread->count - 1].closed)
		thread->count--;
}

static uint64_t filters_started_key(const struct source_event *event, uint64_t range)
{
	uint64_t key = (uint64_t)(event->process->index + 1) << 32 ^ range;

	return key ? key : 1;
}

/* What opens is open before the verdict on it. */
static void filters_note_open(struct filters *filters, struct source *source,
			      const struct source_event *event)
{
	const uint64_t *value = event->event.value; /* domain and name come first in all of them */
	bool added;

	switch (event->event.id) {
	case EVT_nvtx_push:
	case EVT_nvtx_push_ex:
		filters_push(filters, event, source_name_of(source, event->file, value[0]),
			     source_name_of(source, event->file, value[1]));
		break;
	case EVT_nvtx_start:
		if (!name_is(source_name_of(source, event->file, value[1]),
			     filters->settings.range))
			break;
		map_put(&filters->started,
			filters_started_key(event, EVENT_AS(nvtx_start, &event->event)->range),
			&added);
		*filters_open_of(filters, event->process) += added;
		filters->seen = true;
		break;
	}
}

/* What closes is closed after the verdict on it. */
static void filters_note_close(struct filters *filters, struct source *source,
			       const struct source_event *event)
{
	struct map_entry *started;

	switch (event->event.id) {
	case EVT_nvtx_pop:
		filters_pop(filters, event,
			    source_name_of(source, event->file, event->event.value[0]));
		break;
	case EVT_nvtx_end:
		started = map_find(
			&filters->started,
			filters_started_key(event, EVENT_AS(nvtx_end, &event->event)->range));
		if (!started)
			break;
		map_remove(&filters->started, started);
		--*filters_open_of(filters, event->process);
		break;
	}
}

/* What is open is followed to its end, and so is what lies between: an end is told from it only then. */
static bool event_nests(uint32_t id)
{
	switch (id) {
	case EVT_nvtx_push:
	case EVT_nvtx_push_ex:
	case EVT_nvtx_pop:
	case EVT_nvtx_end:
	case EVT_torch_begin:
	case EVT_torch_begin_ex:
	case EVT_torch_end:
	case EVT_torch_end_ex:
	case EVT_torch_inputs:
	case EVT_torch_async_begin:
	case EVT_torch_async_end:
	case EVT_action_begin:
	case EVT_action_end:
	case EVT_torch_module_begin:
	case EVT_torch_module_end:
	case EVT_capture_start:
	case EVT_capture_stop:
		return true;
	default:
		return false;
	}
}

enum filter_verdict filters_judge(struct filters *filters, struct source *source,
				  const struct source_event *event)
{
	const struct filter_settings *settings = &filters->settings;
	uint64_t time_ns = event->event.time_ns;
	bool inside = true;

	if (!filters->any)
		return FILTER_COUNTS;
	if (settings->pid != FILTER_NO_ID && event->process->pid != settings->pid)
		return FILTER_OUT;
	if (settings->range) {
		filters_note_open(filters, source, event);
		inside = *filters_open_of(filters, event->process) > 0 ||
			 filters_thread_of(filters, event->thread)->named > 0;
		filters_note_close(filters, source, event);
	}
	if (settings->tid != FILTER_NO_ID && event->thread->tid != settings->tid)
		inside = false;
	if (time_ns < settings->from_ns)
		inside = false;
	if (time_ns >= settings->to_ns)
		return event_nests(event->event.id) ? FILTER_PASSES_BY : FILTER_OUT;
	return inside ? FILTER_COUNTS : FILTER_PASSES_BY;
}
