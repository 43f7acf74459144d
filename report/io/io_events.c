/* SPDX-License-Identifier: MIT */
/* Makes operations of io.h from events of family io. */
#include "report/io/io_events.h"

static uint64_t name_index(const struct io_reading *reading, const struct source_event *event,
			   uint64_t id)
{
	return source_name_of(reading->source, event->file, id)->index;
}

static uint64_t row_key(const struct io_reading *reading, const struct source_event *event)
{
	switch (reading->io.by) {
	case IO_BY_FUNCTION:
		return name_index(reading, event, event->event.value[0]);
	case IO_BY_KEY:
		return key_of(&reading->key, event);
	case IO_BY_FILE:
	case IO_BY_KIND:
		break;
	}
	return 0;
}

static struct io_place io_events_place_of(const struct io_reading *reading,
					  const struct source_event *event, uint64_t duration_ns,
					  bool counts)
{
	uint64_t now = event->event.time_ns;

	return (struct io_place){ .begin_ns = now > duration_ns ? now - duration_ns : 0,
				  .duration_ns = duration_ns < now ? duration_ns : now,
				  .key = row_key(reading, event),
				  .process = event->process->index,
				  .counts = counts };
}

static enum io_kind io_events_kind_of(uint64_t number)
{
	return number < IO_KIND_LIMIT ? (enum io_kind)number : IO_KIND_UNKNOWN;
}

static void io_events_take_open(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_open *e = EVENT_AS(io_open, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);
	struct io_opened opened = { .fd = e->fd,
				    .file = name_index(reading, event, e->path),
				    .kind = io_events_kind_of(e->kind),
				    .failed = e->error != 0,
				    .is_call = true };

	io_open(&reading->io, &place, &opened);
}

static void take_fd(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_fd *e = EVENT_AS(io_fd, &event->event);
	struct io_place place = { .begin_ns = event->event.time_ns,
				  .process = event->process->index,
				  .counts = counts };
	struct io_opened opened = { .fd = e->fd,
				    .file = name_index(reading, event, e->path),
				    .kind = io_events_kind_of(e->kind) };

	io_open(&reading->io, &place, &opened);
}

static void io_events_take_close(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_close *e = EVENT_AS(io_close, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_close(&reading->io, &place, e->fd, e->error != 0);
}

_Static_assert(sizeof(struct evt_io_read) == sizeof(struct evt_io_write) &&
		       sizeof(struct evt_io_read_at) == sizeof(struct evt_io_write_at),
	       "reads and writes are read as reads");

static void io_events_take_bytes(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_read *e = EVENT_AS(io_read, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);
	struct io_bytes bytes = { .direction = event->event.id == EVT_io_read ? IO_READ : IO_WRITE,
				  .fd = e->fd,
				  .bytes = e->bytes };

	io_transfer(&reading->io, &place, &bytes);
}

static void io_events_take_bytes_at(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_read_at *e = EVENT_AS(io_read_at, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);
	struct io_bytes bytes = { .direction = event->event.id == EVT_io_read_at ? IO_READ
										 : IO_WRITE,
				  .fd = e->fd,
				  .bytes = e->bytes,
				  .has_offset = true,
				  .offset = e->offset };

	io_transfer(&reading->io, &place, &bytes);
}

static void io_events_take_move(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_move *e = EVENT_AS(io_move, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_move(&reading->io, &place, e->from, e->to, e->bytes);
}

static void io_events_take_call(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_call *e = EVENT_AS(io_call, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_call(&reading->io, &place, e->fd, false);
}

static void take_seek(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_seek *e = EVENT_AS(io_seek, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_seek(&reading->io, &place, e->fd, e->offset);
}

static void take_failed(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_failed *e = EVENT_AS(io_failed, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_call(&reading->io, &place, e->fd, true);
}

static void io_events_take_wait(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_wait *e = EVENT_AS(io_wait, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_wait(&reading->io, &place, e->error != 0);
}

/* An unfinished call counts as a call of the file, up to the end. */
static void take_unfinished(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_unfinished *e = EVENT_AS(io_unfinished, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	reading->unfinished += counts;
	if (e->fd == -1)
		io_wait(&reading->io, &place, false);
	else
		io_call(&reading->io, &place, (uint64_t)e->fd, false);
}

static void io_events_take_short(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_short *e = EVENT_AS(io_short, &event->event);
	struct io_reading *reading = state;

	if (!counts)
		return;
	reading->short_calls += e->calls;
	reading->short_ns += e->total;
	if (e->least_ns > reading->least_ns)
		reading->least_ns = e->least_ns;
}

static void io_events_take_map(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_map *e = EVENT_AS(io_map, &event->event);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);

	io_map(&reading->io, &place, e->fd, e->address, e->bytes);
}

static void io_events_take_unmap(void *state, const struct source_event *event, bool counts)
{
	struct io_reading *reading = state;
	const struct evt_io_unmap *e = EVENT_AS(io_unmap, &event->event);
	const struct source_name *function = source_name_of(reading->source, event->file,
							    e->function);
	struct io_place place = io_events_place_of(reading, event, e->duration, counts);
	bool unmaps = source_name_is(function, "munmap");

	io_unmap(&reading->io, &place, e->address, unmaps && !e->error);
}

static enum io_by io_by_of(enum key_id key)
{
	switch (key) {
	case BY_io_file:
		return IO_BY_FILE;
	case BY_io_kind:
		return IO_BY_KIND;
	case BY_io_function:
		return IO_BY_FUNCTION;
	default:
		return IO_BY_KEY;
	}
}

static void io_start(void *state, struct run *run, const void *options)
{
	const struct io_options *asked = options;
	struct io_reading *reading = state;
	static const struct {
		enum evt_id id;
		analysis_take *take;
	} reads[] = {
		{ EVT_io_open, io_events_take_open },
		{ EVT_io_fd, take_fd },
		{ EVT_io_close, io_events_take_close },
		{ EVT_io_read, io_events_take_bytes },
		{ EVT_io_write, io_events_take_bytes },
		{ EVT_io_read_at, io_events_take_bytes_at },
		{ EVT_io_write_at, io_events_take_bytes_at },
		{ EVT_io_move, io_events_take_move },
		{ EVT_io_call, io_events_take_call },
		{ EVT_io_seek, take_seek },
		{ EVT_io_failed, take_failed },
		{ EVT_io_wait, io_events_take_wait },
		{ EVT_io_map, io_events_take_map },
		{ EVT_io_unmap, io_events_take_unmap },
		{ EVT_io_unfinished, take_unfinished },
		{ EVT_io_short, io_events_take_short },
	};

	io_init(&reading->io, io_by_of(asked->by));
	reading->key = run_key(run, asked->by);
	reading->source = run_source(run);
	for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++)
		run_reads(run, reads[i].id, FIELDS_ALL, reads[i].take, state);
	run_seeks(run, state);
}

static void io_lose(void *state, const struct source_process *process)
{
	io_forget(&((struct io_reading *)state)->io, process->index);
}

static void io_free(void *state)
{
	io_release(&((struct io_reading *)state)->io);
}

const struct analysis_kind analysis_io = {
	.name = "io",
	.state_bytes = sizeof(struct io_reading),
	.options_bytes = sizeof(struct io_options),
	.start = io_start,
	.lose = io_lose,
	.release = io_free,
};
