/* SPDX-License-Identifier: MIT */
/*
 * Counts the input and output of threads for core/work.h. A call counts when it returns; a mapping
 * alone moves no bytes.
 */
#include "report/core/work.h"

static void io_work_put(void *state, const struct source_event *event, bool counts, uint64_t bytes)
{
	works_put(((struct work_provider *)state)->works, event, counts,
		  &(struct work){ .io_calls = 1, .io_bytes = bytes });
}

static void io_work_take_call(void *state, const struct source_event *event, bool counts)
{
	io_work_put(state, event, counts, 0);
}

static void io_work_take_short(void *state, const struct source_event *event, bool counts)
{
	works_put(((struct work_provider *)state)->works, event, counts,
		  &(struct work){ .io_calls = EVENT_AS(io_short, &event->event)->calls });
}

_Static_assert(sizeof(struct evt_io_read) == sizeof(struct evt_io_write) &&
		       sizeof(struct evt_io_read_at) == sizeof(struct evt_io_write_at),
	       "reads and writes are read as reads");

static void io_work_take_bytes(void *state, const struct source_event *event, bool counts)
{
	io_work_put(state, event, counts, EVENT_AS(io_read, &event->event)->bytes);
}

static void io_work_take_bytes_at(void *state, const struct source_event *event, bool counts)
{
	io_work_put(state, event, counts, EVENT_AS(io_read_at, &event->event)->bytes);
}

static void io_work_take_move(void *state, const struct source_event *event, bool counts)
{
	io_work_put(state, event, counts, EVENT_AS(io_move, &event->event)->bytes);
}

static void io_work_start(void *state, struct run *run, const void *options)
{
	static const enum evt_id calls[] = { EVT_io_open, EVT_io_close,     EVT_io_call,
					     EVT_io_seek, EVT_io_failed,    EVT_io_map,
					     EVT_io_wait, EVT_io_unfinished };
	struct work_provider *mine = state;

	(void)options;
	mine->works = works_provide(run);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		run_reads(run, calls[i], 0, io_work_take_call, mine);
	run_reads(run, EVT_io_read, FIELD_BIT(io_read, bytes), io_work_take_bytes, mine);
	run_reads(run, EVT_io_write, FIELD_BIT(io_write, bytes), io_work_take_bytes, mine);
	run_reads(run, EVT_io_read_at, FIELD_BIT(io_read_at, bytes), io_work_take_bytes_at, mine);
	run_reads(run, EVT_io_write_at, FIELD_BIT(io_write_at, bytes), io_work_take_bytes_at, mine);
	run_reads(run, EVT_io_move, FIELD_BIT(io_move, bytes), io_work_take_move, mine);
	run_reads(run, EVT_io_short, FIELD_BIT(io_short, calls), io_work_take_short, mine);
	run_follows(run, mine);
	run_enters(run, mine);
	run_leaves(run, mine);
}

const struct analysis_kind analysis_io_work = {
	.name = "io work",
	.state_bytes = sizeof(struct work_provider),
	.start = io_work_start,
};
