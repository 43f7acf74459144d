/* SPDX-License-Identifier: MIT */
/*
 * Descriptors are kept as report waits does it. Errors are those of Linux, on which everything is
 * recorded.
 */
#include "report/stuck/full_writes.h"

#include <errno.h>
#include <stdlib.h>

#include "report/base/memory.h"

const char *full_write_words(uint64_t error)
{
	switch (error) {
	case ENOSPC:
		return "no space is left on the device";
	case EDQUOT:
		return "the disk quota is used up";
	case EFBIG:
		return "the file would be larger than is allowed (RLIMIT_FSIZE, or the file "
		       "system's "
		       "limit)";
	default:
		return NULL;
	}
}

const struct full_write *full_write_of(const struct full_writes *writes, uint32_t process)
{
	return process < writes->process_count && writes->process[process].count
		       ? &writes->process[process]
		       : NULL;
}

static struct full_write *full_writes_at(struct full_writes *writes, uint32_t process)
{
	writes->process = memory_room(writes->process, process, &writes->process_room,
				      sizeof(*writes->process));
	if (writes->process_count <= process)
		writes->process_count = process + 1;
	return &writes->process[process];
}

static void full_writes_fail(struct full_writes *writes, const struct source_event *event,
			     uint32_t file, uint64_t error)
{
	struct full_write *write = full_writes_at(writes, event->process->index);

	if (!write->count || write->file != file)
		*write = (struct full_write){ .first_ns = event->event.time_ns, .file = file };
	write->count++;
	write->error = error;
	write->last_ns = event->event.time_ns;
}

static uint32_t full_writes_file(const struct full_writes *writes, const struct source_event *event,
				 uint64_t fd)
{
	const struct wait_descriptor *known = wait_objects_descriptor(&writes->objects,
								      event->process->index, fd);

	return known ? known->name : UINT32_MAX;
}

static void full_writes_take_open(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_open *e = EVENT_AS(io_open, &event->event);
	struct full_writes *writes = state;
	uint32_t name = source_name_of(writes->source, event->file, e->path)->index;

	if (!e->error)
		wait_objects_open(&writes->objects, event->process->index, e->fd, WAIT_OBJECT_file,
				  name);
	else if (counts && full_write_words(e->error))
		full_writes_fail(writes, event, name, e->error);
}

static void full_writes_take_fd(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_fd *e = EVENT_AS(io_fd, &event->event);
	struct full_writes *writes = state;

	(void)counts;
	wait_objects_open(&writes->objects, event->process->index, e->fd, WAIT_OBJECT_file,
			  source_name_of(writes->source, event->file, e->path)->index);
}

static void full_writes_take_failed(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_failed *e = EVENT_AS(io_failed, &event->event);
	struct full_writes *writes = state;

	if (counts && full_write_words(e->error))
		full_writes_fail(writes, event, full_writes_file(writes, event, e->fd), e->error);
}

/* There is room again. */
static void full_writes_take_written(void *state, const struct source_event *event, bool counts)
{
	const struct evt_io_write *e = EVENT_AS(io_write, &event->event);
	struct full_writes *writes = state;
	struct full_write *write = full_writes_at(writes, event->process->index);

	(void)counts;
	if (write->count && write->file == full_writes_file(writes, event, e->fd))
		write->count = 0;
}

static void full_writes_start(void *state, struct run *run, const void *options)
{
	struct full_writes *writes = state;

	(void)options;
	writes->source = run_source(run);
	wait_objects_init(&writes->objects);
	run_reads(run, EVT_io_open,
		  FIELD_BIT(io_open, fd) | FIELD_BIT(io_open, error) | FIELD_BIT(io_open, path),
		  full_writes_take_open, state);
	run_reads(run, EVT_io_fd, FIELD_BIT(io_fd, fd) | FIELD_BIT(io_fd, path),
		  full_writes_take_fd, state);
	run_reads(run, EVT_io_failed, FIELD_BIT(io_failed, fd) | FIELD_BIT(io_failed, error),
		  full_writes_take_failed, state);
	run_reads(run, EVT_io_write, FIELD_BIT(io_write, fd), full_writes_take_written, state);
	run_reads(run, EVT_io_write_at, FIELD_BIT(io_write_at, fd), full_writes_take_written,
		  state);
	run_seeks(run, state);
}

static void full_writes_lose(void *state, const struct source_process *process)
{
	wait_objects_forget(&((struct full_writes *)state)->objects, process->index);
}

static void full_writes_release(void *state)
{
	struct full_writes *writes = state;

	wait_objects_release(&writes->objects);
	free(writes->process);
}

const struct analysis_kind analysis_full_writes = {
	.name = "full_writes",
	.state_bytes = sizeof(struct full_writes),
	.options_bytes = sizeof(struct full_writes_options),
	.start = full_writes_start,
	.lose = full_writes_lose,
	.release = full_writes_release,
};
