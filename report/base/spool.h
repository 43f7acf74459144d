/* SPDX-License-Identifier: MIT */
/*
 * Records in the order of time that may be more than memory shall hold: elements that begin with a uint64_t, their time. They
 * are put in any order and read back by time; those of equal times as they were put. What does not fit into a few megabytes
 * waits, in sorted runs, in a temporary file that has no name: in $TMPDIR, else /var/tmp, else /tmp. Where none can be written,
 * memory holds all of it.
 *
 * A file that cannot be read back ends the program with a line, as running out of memory does. One thread.
 */
#ifndef REPORT_BASE_SPOOL_H
#define REPORT_BASE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run as it is read: the part of it that is in memory. */
struct spool_run {
	uint64_t next, end; /* records of the file that have not been read into memory */
	char *record;       /* the one to be taken next */
	size_t ready;       /* so many are in memory, from there on */
};

struct spool {
	size_t bytes;   /* of a record */
	uint64_t count; /* records in all */
	char *newest;   /* not in the file */
	size_t newest_count, newest_room;
	int file; /* -1: none */
	bool has_no_file;
	uint64_t written; /* records in the file */
	struct spool_run *run;
	size_t run_count, run_room;
	char *buffer; /* of the runs in the file, `share` records each */
	size_t share;
	size_t *heap; /* runs by what they have next, the earliest first */
	size_t heap_count;
	bool is_sorted, takes; /* the earliest run's record was handed out */
};

/* `bytes` of a record: a multiple of 8. */
void spool_init(struct spool *spool, size_t bytes);
void spool_release(struct spool *spool);
/* Not once reading has begun. */
void spool_put(struct spool *spool, const void *record);

/* From the begin, any number of times. */
void spool_rewind(struct spool *spool);
/* After spool_rewind(): the next one, good until the next call; NULL behind the last. */
const void *spool_next(struct spool *spool);
/* The one that spool_next() will return, good until then; NULL: none. What spool_next() returned is gone. */
const void *spool_peek(struct spool *spool);

#endif
