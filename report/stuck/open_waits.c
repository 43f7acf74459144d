/* SPDX-License-Identifier: MIT */
/* See open_waits.h. Any later wait of the thread says that it has returned. */
#include "report/stuck/open_waits.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/base/memory.h"
#include "report/base/text.h"

const struct open_wait *open_wait_of(const struct open_waits *waits, uint32_t thread)
{
	return thread < waits->count && waits->wait[thread].thread ? &waits->wait[thread] : NULL;
}

/* Addresses mean nothing to people; what a descriptor is, and a child's pid, do. */
static bool open_wait_is_named(const struct open_wait *wait)
{
	return wait->object && (wait->kind == WAIT_OBJECT_child || wait->kind == WAIT_OBJECT_file ||
				wait->kind == WAIT_OBJECT_socket || wait->kind == WAIT_OBJECT_pipe);
}

const char *open_wait_text(const struct open_waits *waits, const struct open_wait *wait,
			   char text[OPEN_WAIT_BYTES])
{
	char function[OPEN_WAIT_BYTES / 3], object[OPEN_WAIT_BYTES / 2], room[WAIT_OBJECT_BYTES];
	const struct source *source = waits->events.source;
	const char *name;
	size_t length;

	name = name_text(source_name_at(source, wait->function), &length);
	text_escape(function, sizeof(function), name, length);
	snprintf(text, OPEN_WAIT_BYTES, "%s", function);
	if (!open_wait_is_named(wait))
		return text;
	name = wait_object_text(&waits->events.objects, source, wait->object, room, &length);
	text_escape(object, sizeof(object), name, length);
	snprintf(text, OPEN_WAIT_BYTES, "%s of %s", function, object);
	return text;
}

const char *open_wait_lock(const struct open_waits *waits, const struct open_wait *wait,
			   char text[OPEN_WAIT_BYTES])
{
	char room[WAIT_OBJECT_BYTES];
	size_t length;

	if (!wait->object || (wait->kind != WAIT_OBJECT_mutex && wait->kind != WAIT_OBJECT_rwlock))
		return "a lock";
	snprintf(text, OPEN_WAIT_BYTES, "the %s %s", wait_object_word(wait->kind),
		 wait_object_text(&waits->events.objects, waits->events.source, wait->object, room,
				  &length));
	return text;
}

static void open_waits_take(void *state, const struct source_event *event,
			    const struct wait_told *told, bool counts)
{
	struct open_waits *waits = state;
	uint32_t thread = event->thread->index;
	uint64_t time_ns = event->event.time_ns;
	struct open_wait *wait;

	waits->wait = memory_room(waits->wait, thread, &waits->room, sizeof(*waits->wait));
	if (waits->count <= thread)
		waits->count = thread + 1;
	wait = &waits->wait[thread];
	wait->thread = NULL;
	if (!counts || told->how == WAIT_ENDED || told->how == WAIT_SHORT)
		return;
	*wait = (struct open_wait){
		.thread = event->thread,
		.function = source_name_of(waits->events.source, event->file, told->function)
				    ->index,
		.object = wait_objects_of(&waits->events.objects, event->process->index, told->kind,
					  told->object),
		.kind = told->kind < WAIT_OBJECT_LIMIT ? (uint32_t)told->kind : WAIT_OBJECT_none,
		.owner = (uint32_t)told->owner,
		.begin_ns = time_ns > told->duration_ns ? time_ns - told->duration_ns : 0,
		.seen_ns = time_ns,
		.caller = told->caller,
	};
}

static void open_waits_start(void *state, struct run *run, const void *options)
{
	(void)options;
	wait_events_start_open(state, run, open_waits_take);
}

/* The end of a call may be among what was lost. */
static void open_waits_lose(void *state, const struct source_process *process)
{
	struct open_waits *waits = state;

	wait_events_lose(&waits->events, process);
	for (size_t i = 0; i < waits->count; i++)
		if (waits->wait[i].thread && waits->wait[i].thread->process == process)
			waits->wait[i].thread = NULL;
}

static void open_waits_release(void *state)
{
	struct open_waits *waits = state;

	wait_events_release(&waits->events);
	free(waits->wait);
}

const struct analysis_kind analysis_open_waits = {
	.name = "open_waits",
	.state_bytes = sizeof(struct open_waits),
	.options_bytes = sizeof(struct open_waits_options),
	.start = open_waits_start,
	.lose = open_waits_lose,
	.release = open_waits_release,
};
