/* SPDX-License-Identifier: MIT */
/*
 * A full run is sorted in memory and written after the previous one. Reading merges the runs with a
 * binary heap of their next records; each run is loaded a part at a time.
 */
#include "report/base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/base/descriptor.h"
#include "report/base/memory.h"
#include "report/base/talk.h"
#include "report/base/time_order.h"

#define RUN_BYTES (4u << 20) /* of records in memory */
#define SHARE_MIN 16u        /* records of a run that are read at once */

void spool_init(struct spool *spool, size_t bytes)
{
	*spool = (struct spool){ .bytes = bytes, .file = -1 };
}

void spool_release(struct spool *spool)
{
	if (spool->file >= 0)
		close(spool->file);
	free(spool->newest);
	free(spool->run);
	free(spool->buffer);
	free(spool->heap);
	*spool = (struct spool){ .file = -1 };
}

/* --- the file --- */

static int open_in(const char *folder)
{
	char path[PATH_MAX];
	int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);

	if (file >= 0 || errno == ENOENT || errno == EACCES)
		return file;
	if ((size_t)snprintf(path, sizeof(path), "%s/prof-report.XXXXXX", folder) >= sizeof(path))
		return -1;
	file = mkostemp(path, O_CLOEXEC);
	if (file >= 0)
		unlink(path);
	return file;
}

static int spool_open_file(void)
{
	const char *folder = getenv("TMPDIR");
	int file = folder && *folder ? open_in(folder) : -1;

	if (file < 0)
		file = open_in("/var/tmp");
	return file < 0 ? open_in("/tmp") : file;
}

static void spool_read_all(int file, char *to, size_t bytes, uint64_t at)
{
	while (bytes) {
		ssize_t done = pread(file, to, bytes, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			talk_print("cannot read a temporary file back: %s; set TMPDIR to another "
				   "folder",
				   done ? strerror(errno) : "it is shorter than it was");
			exit(1);
		}
		to += done;
		at += (uint64_t)done;
		bytes -= (size_t)done;
	}
}

/* --- writing --- */

static bool write_run(struct spool *spool)
{
	size_t count = spool->newest_count;

	if (spool->file < 0 && !spool->has_no_file)
		spool->file = spool_open_file();
	if (spool->file < 0 || spool->has_no_file)
		return false;
	time_order_sort(spool->newest, count, spool->bytes);
	if (!descriptor_write_at(spool->file, spool->newest, count * spool->bytes,
				 spool->written * spool->bytes))
		return false;
	spool->run = memory_room(spool->run, spool->run_count, &spool->run_room,
				 sizeof(*spool->run));
	spool->run[spool->run_count++].end = spool->written + count;
	spool->written += count;
	spool->newest_count = 0;
	return true;
}

void spool_put(struct spool *spool, const void *record)
{
	if (spool->newest_count * spool->bytes >= RUN_BYTES && !spool->has_no_file)
		spool->has_no_file = !write_run(spool);
	spool->newest = memory_room(spool->newest, spool->newest_count, &spool->newest_room,
				    spool->bytes);
	memcpy(spool->newest + spool->newest_count++ * spool->bytes, record, spool->bytes);
	spool->count++;
}

/* --- reading --- */

static uint64_t spool_time_of(const struct spool *spool, size_t run)
{
	uint64_t time_ns;

	memcpy(&time_ns, spool->run[run].record, sizeof(time_ns));
	return time_ns;
}

/* Runs are numbered in the order of writing, so that records with equal times keep their order. */
static bool spool_comes_before(const struct spool *spool, size_t a, size_t b)
{
	uint64_t left = spool_time_of(spool, a), right = spool_time_of(spool, b);

	return left < right || (left == right && a < b);
}

static void spool_heap_sink(struct spool *spool, size_t at)
{
	size_t *heap = spool->heap;

	for (;;) {
		size_t first = at, kept;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < spool->heap_count;
		     child++)
			if (spool_comes_before(spool, heap[child], heap[first]))
				first = child;
		if (first == at)
			return;
		kept = heap[at];
		heap[at] = heap[first];
		heap[first] = kept;
		at = first;
	}
}

/* Loads the next part of a run in the file. False: there is none. */
static bool run_load(struct spool *spool, size_t number)
{
	struct spool_run *run = &spool->run[number];
	uint64_t left = run->end - run->next;

	if (!left)
		return false;
	run->ready = left < spool->share ? (size_t)left : spool->share;
	run->record = spool->buffer + number * spool->share * spool->bytes;
	spool_read_all(spool->file, run->record, run->ready * spool->bytes,
		       run->next * spool->bytes);
	run->next += run->ready;
	return true;
}

/*
 * The last run never went into the file. For the runs in the file, there is room for as much as one
 * run has.
 */
static void sort_runs(struct spool *spool)
{
	size_t files = spool->run_count;

	time_order_sort(spool->newest, spool->newest_count, spool->bytes);
	spool->run = memory_room(spool->run, files, &spool->run_room, sizeof(*spool->run));
	spool->run_count = files + 1;
	spool->heap = memory_zero(spool->run_count, sizeof(*spool->heap));
	if (files) {
		spool->share = RUN_BYTES / spool->bytes / files;
		spool->share = spool->share < SHARE_MIN ? SHARE_MIN : spool->share;
		spool->buffer = memory_grow(NULL, files * spool->share, spool->bytes);
	}
	spool->is_sorted = true;
}

void spool_rewind(struct spool *spool)
{
	size_t last;

	if (!spool->is_sorted)
		sort_runs(spool);
	last = spool->run_count - 1;
	spool->heap_count = 0;
	spool->takes = false;
	for (size_t i = 0; i < last; i++) {
		spool->run[i].next = i ? spool->run[i - 1].end : 0;
		if (run_load(spool, i))
			spool->heap[spool->heap_count++] = i;
	}
	spool->run[last] = (struct spool_run){ .record = spool->newest,
					       .ready = spool->newest_count };
	if (spool->newest_count)
		spool->heap[spool->heap_count++] = last;
	for (size_t i = spool->heap_count / 2; i-- > 0;)
		spool_heap_sink(spool, i);
}

const void *spool_peek(struct spool *spool)
{
	struct spool_run *run;

	if (!spool->heap_count)
		return NULL;
	if (spool->takes) {
		spool->takes = false;
		run = &spool->run[spool->heap[0]];
		run->record += spool->bytes;
		if (!--run->ready && !run_load(spool, spool->heap[0]))
			spool->heap[0] = spool->heap[--spool->heap_count];
		if (!spool->heap_count)
			return NULL;
		spool_heap_sink(spool, 0);
	}
	return spool->run[spool->heap[0]].record;
}

const void *spool_next(struct spool *spool)
{
	const void *record = spool_peek(spool);

	spool->takes = record != NULL;
	return record;
}
