/* SPDX-License-Identifier: MIT */
/*
 * Records in the order of time that may exceed the memory to be used: elements that begin with a
 * uint64_t, their time. They are written in any order and read by time; those with equal times as
 * they were written. What exceeds a few megabytes waits, in sorted runs, in a temporary file
 * without a name: in $TMPDIR, else /var/tmp, else /tmp. If no file can be written, everything stays
 * in memory.
 *
 * If the file cannot be read back, the program ends with one line, as it does when memory runs out.
 * One thread.
 */
#ifndef REPORT_BASE_SPOOL_H
#define REPORT_BASE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A run while it is read: the part of it that is in memory. */
struct spool_run {
	uint64_t next, end; /* records in the file that have not been read into memory */
	char *record;       /* the record to be taken next */
	size_t ready;       /* number of records in memory, from there on */
};

struct spool {
	size_t bytes;   /* size of a record */
	uint64_t count; /* records in total */
	char *newest;   /* records that are not in the file */
	size_t newest_count, newest_room;
	int file; /* -1: none */
	bool has_no_file;
	uint64_t written; /* records in the file */
	struct spool_run *run;
	size_t run_count, run_room;
	char *buffer; /* for the runs in the file, `share` records each */
	size_t share;
	size_t *heap; /* runs by their next record, the earliest first */
	size_t heap_count;
	bool is_sorted, takes; /* the earliest run's record was handed out */
};

/* `bytes` is the size of a record: a multiple of 8. */
void spool_init(struct spool *spool, size_t bytes);
void spool_release(struct spool *spool);
/* Not allowed once reading has begun. */
void spool_put(struct spool *spool, const void *record);

/* Starts reading from the beginning; may be called any number of times. */
void spool_rewind(struct spool *spool);
/*
 * Call after spool_rewind(). Returns the next record, valid until the next call; NULL at the end.
 */
const void *spool_next(struct spool *spool);
/*
 * Returns the record that spool_next() will return, valid until then; NULL: none. The last result
 * of spool_next() becomes invalid.
 */
const void *spool_peek(struct spool *spool);

#endif
