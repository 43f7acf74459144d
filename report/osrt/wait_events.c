/* SPDX-License-Identifier: MIT */
/*
 * Each event becomes one wait. Of input and output, only calls that may block are waits, by the
 * kind of their descriptor and the name of their function.
 */
#include "report/osrt/wait_events.h"

/* --- the family's own --- */

static void wait_events_take_wait(void *state, const struct source_event *event, bool counts)
{
	const struct evt_osrt_wait *e = EVENT_AS(osrt_wait, &event->event);
	struct wait_told told = { WAIT_ENDED, e->function, e->kind,    e->object,
				  e->owner,   e->duration, .calls = 1, .failed = e->error != 0 };

	((struct wait_events *)state)->take(state, event, &told, counts);
}

static void wait_events_take_short(void *state, const struct source_event *event, bool counts)
{
	const struct evt_osrt_short *e = EVENT_AS(osrt_short, &event->event);
	struct wait_told told = { .how = WAIT_SHORT,
				  .function = e->function,
				  .duration_ns = e->total_ns,
				  .calls = e->calls };

	((struct wait_events *)state)->take(state, event, &told, counts);
}

static void wait_events_take_open(void *state, const struct source_event *event, bool counts)
{
	const struct evt_osrt_waiting *e = EVENT_AS(osrt_waiting, &event->event);
	struct wait_told told = {
		event->event.id == EVT_osrt_waiting ? WAIT_GOES_ON : WAIT_UNFINISHED,
		e->function,
		e->kind,
		e->object,
		e->owner,
		e->duration_ns,
		e->caller,
		.calls = 1,
	};

	((struct wait_events *)state)->take(state, event, &told, counts);
}

_Static_assert(sizeof(struct evt_osrt_waiting) == sizeof(struct evt_osrt_unfinished),
	       "both are read as the first");

static void wait_events_take_fd(void *state, const struct source_event *event, bool counts)
{
	const struct evt_osrt_fd *e = EVENT_AS(osrt_fd, &event->event);
	struct wait_events *events = state;

	(void)counts;
	wait_objects_open(&events->objects, event->process->index, e->fd, e->kind,
			  source_name_of(events->source, event->file, e->path)->index);
}

/* --- input and output --- */

/* From `kind` of io_open and io_fd. */
static uint64_t kind_of_io(uint64_t kind)
{
	static const enum wait_object_kind kinds[] = { WAIT_OBJECT_none, WAIT_OBJECT_file,
						       WAIT_OBJECT_socket, WAIT_OBJECT_pipe,
						       WAIT_OBJECT_descriptor };

	return kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] : WAIT_OBJECT_none;
}

static void wait_events_take_io_open(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_open *e = EVENT_AS(io_open, &event->event);
	struct wait_events *events = state;

	(void)counts;
	if (!e->error)
		wait_objects_open(&events->objects, event->process->index, e->fd,
				  kind_of_io(e->kind),
				  source_name_of(events->source, event->file, e->path)->index);
}

static void wait_events_take_io_fd(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_fd *e = EVENT_AS(io_fd, &event->event);
	struct wait_events *events = state;

	(void)counts;
	wait_objects_open(&events->objects, event->process->index, e->fd, kind_of_io(e->kind),
			  source_name_of(events->source, event->file, e->path)->index);
}

/* Calls that never wait have the same events. */
static bool io_call_waits(const struct wait_events *events, const struct source_event *event,
			  uint64_t function)
{
	static const char *const words[] = { "read",    "readv",    "recv",    "recvfrom",
					     "recvmsg", "recvmmsg", "write",   "writev",
					     "send",    "sendto",   "sendmsg", "sendmmsg",
					     "accept",  "connect" };
	const struct source_name *name = source_name_of(events->source, event->file, function);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (source_name_is(name, words[i]))
			return true;
	return false;
}

static void wait_events_take_io(struct wait_events *events, const struct source_event *event,
				struct wait_told told, uint64_t fd, bool counts)
{
	const struct wait_descriptor *known = wait_objects_descriptor(&events->objects,
								      event->process->index, fd);

	if (!known || known->kind == WAIT_OBJECT_file || known->kind == WAIT_OBJECT_none ||
	    !io_call_waits(events, event, told.function))
		return;
	told.kind = known->kind;
	told.object = fd;
	events->take(events, event, &told, counts);
}

static void wait_events_take_io_bytes(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_read *e = EVENT_AS(io_read, &event->event);
	struct wait_told told = { .function = e->function, .duration_ns = e->duration, .calls = 1 };

	wait_events_take_io(state, event, told, e->fd, counts);
}

_Static_assert(sizeof(struct evt_io_read) == sizeof(struct evt_io_write),
	       "writes are read as reads");

static void wait_events_take_io_call(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_call *e = EVENT_AS(io_call, &event->event);
	struct wait_told told = { .function = e->function, .duration_ns = e->duration, .calls = 1 };

	wait_events_take_io(state, event, told, e->fd, counts);
}

static void wait_events_take_io_failed(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_failed *e = EVENT_AS(io_failed, &event->event);
	struct wait_told told = {
		.function = e->function, .duration_ns = e->duration, .calls = 1, .failed = true
	};

	wait_events_take_io(state, event, told, e->fd, counts);
}

/* A poll: for several descriptors. */
static void wait_events_take_io_wait(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_wait *e = EVENT_AS(io_wait, &event->event);
	struct wait_told told = { .function = e->function,
				  .duration_ns = e->duration,
				  .calls = 1,
				  .failed = e->error != 0 };

	((struct wait_events *)state)->take(state, event, &told, counts);
}

static void wait_events_take_io_unfinished(void *state, const struct source_event *event,
					   bool counts)
{
	const struct evt_io_unfinished *e = EVENT_AS(io_unfinished, &event->event);
	struct wait_told told = { .how = WAIT_UNFINISHED,
				  .function = e->function,
				  .duration_ns = e->duration,
				  .calls = 1 };

	if ((int64_t)e->fd != -1)
		wait_events_take_io(state, event, told, e->fd, counts);
	else
		((struct wait_events *)state)->take(state, event, &told, counts);
}

/* --- for analyses --- */

static const struct wait_read {
	enum evt_id id;
	analysis_take *take;
	bool is_io_end; /* of a call of input and output that has ended */
} wait_reads[] = {
	{ EVT_osrt_wait, wait_events_take_wait, false },
	{ EVT_osrt_short, wait_events_take_short, false },
	{ EVT_osrt_waiting, wait_events_take_open, false },
	{ EVT_osrt_unfinished, wait_events_take_open, false },
	{ EVT_osrt_fd, wait_events_take_fd, false },
	{ EVT_io_open, wait_events_take_io_open, false },
	{ EVT_io_fd, wait_events_take_io_fd, false },
	{ EVT_io_read, wait_events_take_io_bytes, true },
	{ EVT_io_write, wait_events_take_io_bytes, true },
	{ EVT_io_call, wait_events_take_io_call, true },
	{ EVT_io_failed, wait_events_take_io_failed, true },
	{ EVT_io_wait, wait_events_take_io_wait, true },
	{ EVT_io_unfinished, wait_events_take_io_unfinished, false },
};

static void wait_events_read(struct wait_events *events, struct run *run, wait_take *take,
			     bool io_ends)
{
	events->source = run_source(run);
	events->take = take;
	wait_objects_init(&events->objects);
	for (size_t i = 0; i < sizeof(wait_reads) / sizeof(wait_reads[0]); i++)
		if (io_ends || !wait_reads[i].is_io_end)
			run_reads(run, wait_reads[i].id, FIELDS_ALL, wait_reads[i].take, events);
	run_seeks(run, events);
}

void wait_events_start(struct wait_events *events, struct run *run, wait_take *take)
{
	wait_events_read(events, run, take, true);
}

void wait_events_start_open(struct wait_events *events, struct run *run, wait_take *take)
{
	wait_events_read(events, run, take, false);
}

void wait_events_lose(struct wait_events *events, const struct source_process *process)
{
	wait_objects_forget(&events->objects, process->index);
}

void wait_events_release(struct wait_events *events)
{
	wait_objects_release(&events->objects);
}
