/* SPDX-License-Identifier: MIT */
/*
 * A file that grows, and its counters second by second: marks in a ring hold copies of the
 * counters.
 */
#include "report/watch/follower.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/gpu/gpu.h"
#include "report/heap/heap.h"
#include "report/captures/captures.h"
#include "report/heap/heap_events.h"
#include "report/io/io_events.h"
#include "report/session/source_open.h"

#define SECOND_NS 1000000000ull

static void follower_want(struct follower *follower)
{
	static const struct filter_settings all = { .pid = FILTER_NO_ID,
						    .tid = FILTER_NO_ID,
						    .to_ns = UINT64_MAX };

	follower->run = run_new(follower->source, &all);
	for (unsigned int kind = 0; kind < WATCH_KINDS; kind++)
		follower->state[kind] = watch_kinds[kind].want(follower->run);
	follower->steps = steps_seen_want(follower->run, NULL);
	follower->loop = steps_want(follower->run, &(struct steps_options){ .wants_rows = false });
	follower->captures = captures_want(follower->run, NULL);
	follower->collections = collections_want(
		follower->run, &(struct collections_options){ .by = BY_gc_generation });
	follower->requests = requests_want(
		follower->run, &(struct requests_options){ .by = BY_requests_endpoint });
	follower->devices = device_states_want(follower->run, NULL);
	follower->heap = heap_want(follower->run, &(struct heap_options){ .by = BY_alloc_size });
}

struct follower *follower_new(struct session_file *found, unsigned int window_s, char *message,
			      size_t message_bytes)
{
	struct follower *follower = memory_zero(1, sizeof(*follower));
	struct stat info;

	follower->path = strdup(found->path);
	follower->window_s = window_s;
	follower->fd = open(found->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (!follower->path || follower->fd < 0 || fstat(follower->fd, &info)) {
		snprintf(message, message_bytes, "'%s': %s", found->path, strerror(errno));
		follower_free(follower);
		return NULL;
	}
	follower->device = info.st_dev;
	follower->inode = info.st_ino;
	if (source_open_files(&follower->source, found, 1, message, message_bytes)) {
		follower_free(follower);
		return NULL;
	}
	/* one for each second of the window, and one before it */
	follower->mark_room = window_s + 2;
	follower->mark = memory_zero(follower->mark_room, sizeof(*follower->mark));
	follower->mark_next_ns = SECOND_NS;
	follower_want(follower);
	run_begin(follower->run);
	return follower;
}

void follower_free(struct follower *follower)
{
	if (!follower)
		return;
	if (follower->run)
		run_free(follower->run);
	source_close(follower->source);
	if (follower->fd >= 0)
		close(follower->fd);
	for (size_t i = 0; i < follower->mark_room; i++)
		for (unsigned int kind = 0; kind < WATCH_KINDS; kind++)
			free(follower->mark[i].value[kind]);
	free(follower->mark);
	free(follower->path);
	free(follower);
}

/* --- counters --- */

static uint64_t sum_of_rows(const struct follower *follower, enum watch_kind_id kind,
			    unsigned int value)
{
	size_t rows = watch_kinds[kind].count(follower->state[kind]);
	uint64_t values[WATCH_VALUES], sum = 0;

	for (size_t row = 0; row < rows; row++) {
		watch_kinds[kind].values(follower->state[kind], row, values);
		sum += values[value];
	}
	return sum;
}

static uint64_t sum_of_files(const struct follower *follower, bool written)
{
	const struct io_reading *reading = follower->state[WATCH_FILES];
	uint64_t sum = 0;

	for (size_t i = 0; i < reading->io.row_count; i++)
		sum += written ? reading->io.row[i].bytes_written : reading->io.row[i].bytes_read;
	return sum;
}

uint64_t follower_count(const struct follower *follower, enum follower_count which)
{
	const struct gpu *gpu = follower->state[WATCH_KERNELS];
	struct source_file *const *file;

	source_files(follower->source, &file);
	switch (which) {
	case FOLLOWER_STEPS:
		return follower->steps->count;
	case FOLLOWER_CPU_NS:
		return source_cpu_ns(follower->source);
	case FOLLOWER_ALLOCATIONS:
		return follower->heap->totals.allocations;
	case FOLLOWER_ALLOCATED:
		return follower->heap->totals.bytes_allocated;
	case FOLLOWER_READ:
		return sum_of_files(follower, false);
	case FOLLOWER_WRITTEN:
		return sum_of_files(follower, true);
	case FOLLOWER_GPU_NS:
		return sum_of_rows(follower, WATCH_KERNELS, 0);
	case FOLLOWER_COPIED:
		return groups_total(&gpu->table[GPU_COPIES]).bytes;
	case FOLLOWER_RECORDS:
		return file[0]->records;
	case FOLLOWER_COLLECTIONS:
		return groups_total(&follower->collections->groups).time.count;
	case FOLLOWER_COLLECTION_NS:
		return groups_total(&follower->collections->groups).time.total_ns;
	case FOLLOWER_REQUESTS:
		return requests_ended(follower->requests);
	case FOLLOWER_REQUEST_NS:
		return requests_total_ns(follower->requests);
	case FOLLOWER_STEP_NS:
		return follower->loop->host.total_ns;
	case FOLLOWER_STEP_GPU_NS:
		return follower->loop->gpu_ns;
	case FOLLOWER_STEP_DETAIL_NS:
		return follower->loop->detailed_ns;
	default:
		if (which >= FOLLOWER_PHASES && which < FOLLOWER_COUNTS)
			return follower->loop->host.phases.ns[which - FOLLOWER_PHASES];
		return 0;
	}
}

static void mark_take_rows(struct follower_mark *mark, const struct follower *follower,
			   enum watch_kind_id kind)
{
	const struct watch_kind *what = &watch_kinds[kind];
	size_t rows = what->count(follower->state[kind]);

	mark->rows[kind] = rows;
	if (rows > mark->room[kind]) {
		mark->room[kind] = 2 * rows;
		mark->value[kind] = memory_grow(mark->value[kind], mark->room[kind],
						WATCH_VALUES * sizeof(uint64_t));
	}
	for (size_t row = 0; row < rows; row++)
		what->values(follower->state[kind], row, &mark->value[kind][WATCH_VALUES * row]);
}

/* Call when all events before `second` have been counted, and none after. */
static void follower_mark(struct follower *follower, uint64_t second)
{
	struct follower_mark *mark = &follower->mark[follower->mark_count++ % follower->mark_room];

	heap_live_bytes(follower->heap); /* counts the events that still wait */
	mark->second = second;
	for (unsigned int which = 0; which < FOLLOWER_COUNTS; which++)
		mark->count[which] = follower_count(follower, which);
	for (unsigned int kind = 0; kind < WATCH_KINDS; kind++)
		mark_take_rows(mark, follower, kind);
}

struct follower_window follower_window(const struct follower *follower)
{
	uint64_t end_ns = source_end_ns(follower->source),
		 window_ns = follower->window_s * SECOND_NS;
	uint64_t from = end_ns > window_ns ? (end_ns - window_ns + SECOND_NS - 1) / SECOND_NS : 0;
	struct follower_window window = { NULL, end_ns - from * SECOND_NS };
	size_t kept = follower->mark_count < follower->mark_room ? follower->mark_count
								 : follower->mark_room;

	for (size_t i = 0; i < kept; i++) {
		const struct follower_mark *mark = &follower->mark[i];

		if (mark->second <= from && (!window.from || mark->second > window.from->second))
			window.from = mark;
	}
	return window;
}

uint64_t follower_count_in(const struct follower *follower, const struct follower_window *window,
			   enum follower_count which)
{
	return follower_count(follower, which) - (window->from ? window->from->count[which] : 0);
}

/* --- reading --- */

static void follower_read(struct follower *follower)
{
	while (run_continue(follower->run, follower->mark_next_ns)) {
		follower_mark(follower, follower->mark_next_ns / SECOND_NS);
		/* if nothing has happened for a while, no mark is needed */
		follower->mark_next_ns = (run_waiting_ns(follower->run) / SECOND_NS + 1) *
					 SECOND_NS;
	}
	heap_live_bytes(follower->heap);
}

/* Checks what has become of the file itself. */
static void follower_inspect(struct follower *follower)
{
	struct stat info, named;

	if (fstat(follower->fd, &info))
		return;
	follower->is_cut_short |= (uint64_t)info.st_size < follower->size;
	follower->size = (uint64_t)info.st_size;
	follower->is_gone = stat(follower->path, &named) || named.st_dev != follower->device ||
			    named.st_ino != follower->inode;
}

int follower_look(struct follower *follower)
{
	bool is_written;
	int error;

	if (follower->ended)
		return 0;
	/* in this order: a writer that has released the file has written everything */
	is_written = waiting_is_held(follower->fd);
	follower_inspect(follower);
	error = source_resume(follower->source, is_written && !follower->is_cut_short);
	if (error)
		return error;
	follower_read(follower);
	follower->ended = !is_written || follower->is_cut_short;
	return 0;
}
