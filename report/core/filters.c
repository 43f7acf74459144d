/* SPDX-License-Identifier: MIT */
/* Which events count: see filters.h. */
#include "report/core/filters.h"

#include <stdlib.h>
#include <string.h>

#include "report/base/memory.h"

struct filter_process {
	uint32_t open;    /* ranges of that name that hold for all of the process */
	uint32_t started; /* of them, start/end ranges */
	uint32_t cuts;    /* start/end ranges from before a cut are over */
};

static void filter_range_ended(void *state, const struct nest_end *end);

bool filter_is_set(const struct filter_settings *settings)
{
	return settings->pid != FILTER_NO_ID || settings->tid != FILTER_NO_ID ||
	       settings->from_ns || settings->to_ns != UINT64_MAX || settings->range;
}

void filters_init(struct filters *filters, const struct filter_settings *settings)
{
	*filters = (struct filters){ .settings = *settings };
	filters->any = filter_is_set(settings);
	nest_init(&filters->nest, (struct nest_options){ .is_keyed = true }, filter_range_ended,
		  filters);
	map_init(&filters->started);
}

void filters_release(struct filters *filters)
{
	nest_release(&filters->nest);
	free(filters->named);
	free(filters->thread);
	free(filters->process);
	map_release(&filters->started);
}

static struct filter_process *filters_process_at(struct filters *filters, uint32_t process)
{
	filters->process = memory_room(filters->process, process, &filters->process_room,
				       sizeof(*filters->process));
	return &filters->process[process];
}

/* Open push/pop ranges of that name that hold for the thread. */
static uint32_t *filters_open_on(struct filters *filters, uint32_t thread)
{
	filters->thread = memory_room(filters->thread, thread, &filters->thread_room,
				      sizeof(*filters->thread));
	return &filters->thread[thread];
}

static bool name_is(const struct source_name *name, const char *text)
{
	return name->text && name->length == strlen(text) &&
	       !memcmp(name->text, text, name->length);
}

/* Adds to what is open for the thread, or for the process. */
static void filters_add(struct filters *filters, uint32_t thread, uint32_t process, uint32_t more)
{
	if (filters->settings.during)
		filters_process_at(filters, process)->open += more;
	else
		*filters_open_on(filters, thread) += more;
}

static struct nest_place place_of(const struct source_event *event)
{
	return (struct nest_place){ event->event.time_ns, event->thread->index,
				    event->process->index };
}

static void filters_push(struct filters *filters, const struct source_event *event,
			 const struct source_name *domain, const struct source_name *name)
{
	bool named = name_is(name, filters->settings.range);
	uint32_t scope = nest_begin(&filters->nest, place_of(event), domain->index, false);

	filters->named = memory_room(filters->named, scope, &filters->named_room,
				     sizeof(*filters->named));
	filters->named[scope] = named;
	filters->seen |= named;
	filters_add(filters, event->thread->index, event->process->index, named);
}

static void filter_range_ended(void *state, const struct nest_end *end)
{
	struct filters *filters = state;

	if (filters->named[end->scope])
		filters_add(filters, end->thread, filters->nest.thread[end->thread].process,
			    -(uint32_t)1);
}

void filters_cut(struct filters *filters, struct nest_place place)
{
	nest_cut(&filters->nest, place, NEST_CUT);
}

void filters_cut_started(struct filters *filters, uint32_t index)
{
	struct filter_process *process = filters_process_at(filters, index);

	process->open -= process->started;
	process->started = 0;
	process->cuts++;
}

static uint64_t filters_started_key(const struct source_event *event, uint64_t range)
{
	uint64_t key = (uint64_t)(event->process->index + 1) << 32 ^ range;

	return key ? key : 1;
}

static void filters_start(struct filters *filters, const struct source_event *event,
			  const struct source_name *name)
{
	struct filter_process *process = filters_process_at(filters, event->process->index);
	uint64_t number = EVENT_AS(nvtx_start, &event->event)->range;
	struct map_entry *started;
	bool added;

	if (!name_is(name, filters->settings.range))
		return;
	filters->seen = true;
	started = map_put(&filters->started, filters_started_key(event, number), &added);
	if (!added && started->value == process->cuts)
		return;
	started->value = process->cuts;
	process->started++;
	process->open++;
}

static void filters_end(struct filters *filters, const struct source_event *event)
{
	struct filter_process *process = filters_process_at(filters, event->process->index);
	uint64_t number = EVENT_AS(nvtx_end, &event->event)->range;
	struct map_entry *started = map_find(&filters->started, filters_started_key(event, number));
	bool is_open = started && started->value == process->cuts;

	if (started)
		map_remove(&filters->started, started);
	process->started -= is_open;
	process->open -= is_open;
}

/* What opens is open before the verdict on it. */
static void filters_note_open(struct filters *filters, struct source *source,
			      const struct source_event *event)
{
	const uint64_t *value = event->event.value; /* domain and name come first in all of them */

	switch (event->event.id) {
	case EVT_nvtx_push:
	case EVT_nvtx_push_ex:
		filters_push(filters, event, source_name_of(source, event->file, value[0]),
			     source_name_of(source, event->file, value[1]));
		break;
	case EVT_nvtx_start:
		filters_start(filters, event, source_name_of(source, event->file, value[1]));
		break;
	}
}

/* What closes is closed after the verdict on it. */
static void filters_note_close(struct filters *filters, struct source *source,
			       const struct source_event *event)
{
	const struct source_name *domain;

	switch (event->event.id) {
	case EVT_nvtx_pop:
		domain = source_name_of(source, event->file, event->event.value[0]);
		(void)nest_end_key(&filters->nest, place_of(event), domain->index);
		break;
	case EVT_nvtx_end:
		filters_end(filters, event);
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
	case EVT_fact: /* told once, of all of the run */
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
		inside = filters_process_at(filters, event->process->index)->open > 0 ||
			 *filters_open_on(filters, event->thread->index) > 0;
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
