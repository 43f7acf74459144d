/* SPDX-License-Identifier: MIT */
/*
 * Input and output of a run: calls, bytes and time by the key of the rows, and which file a
 * descriptor stands for.
 *
 * A process uses the number of a descriptor again and again. The descriptor stands for the file of
 * the latest io_open or io_fd of its process. But a call that began before that io_open belongs to
 * the file before, because a thread may record a call after another thread closed the descriptor.
 * After a loss of events, all descriptors of the process are unknown.
 *
 * Memory grows with distinct rows, files and descriptors, never with events.
 */
#ifndef REPORT_IO_IO_H
#define REPORT_IO_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/base/histogram.h"
#include "report/base/map.h"

enum io_kind {
	IO_KIND_UNKNOWN,
	IO_KIND_FILE,
	IO_KIND_SOCKET,
	IO_KIND_PIPE,
	IO_KIND_OTHER,
	IO_KIND_LIMIT,
};
/* "file" and others; an unknown kind is "other" */
const char *io_kind_name(enum io_kind kind);

/* What the rows are by. */
enum io_by {
	IO_BY_FILE,
	IO_BY_KIND,
	IO_BY_FUNCTION,
	IO_BY_KEY, /* a key of another family */
};

#define IO_NO_FILE UINT64_MAX /* a wait for several descriptors */
#define IO_UNKNOWN_FILE (UINT64_MAX - 1)

struct io_row {
	/*
	 * index of a name for file and function, index for process and thread, otherwise the value
	 * of the key
	 */
	uint64_t key;
	enum io_kind kind;
	uint64_t calls, opens, reads, writes, errors;
	uint64_t bytes_read, bytes_written, bytes_mapped;
	uint64_t total_ns, max_ns;
	uint64_t transfer_ns; /* the part of it in reads and writes */
	/* reads and writes of files; jumps: those that did not begin where the last one ended */
	uint64_t accesses, jumps;
	struct histogram sizes; /* of reads and writes that moved data */
};

/* Where a call was made, and its key for the rows. */
struct io_place {
	uint64_t begin_ns, duration_ns;
	uint64_t key; /* not used if rows are by file or kind */
	uint32_t process;
	bool counts;
};

struct io_descriptor {
	uint64_t file, file_before; /* indices of names, or IO_UNKNOWN_FILE */
	enum io_kind kind, kind_before;
	uint64_t opened_ns;    /* 0: valid at any time */
	uint64_t epoch;        /* of its process, when the descriptor became known */
	uint64_t at, last_end; /* its position; where the last read or write ended */
	bool at_is_known, accessed;
};

struct io {
	enum io_by by;
	struct io_row *row;
	size_t row_count, row_room;
	struct map rows; /* hash of key and kind to index */
	struct io_descriptor *descriptor;
	size_t descriptor_count, descriptor_room;
	struct map descriptors; /* process and number to index */
	struct map mappings;    /* process and address, + 1, to the file of the mapping */
	struct map kinds;       /* a file's name, + 1, to its kind */
	uint64_t *epoch;        /* by process: number of times that events were lost */
	size_t epoch_room;
	/* by process: time in calls on files so far, whether they count or not */
	uint64_t *file_ns;
	size_t file_ns_room;
};

void io_init(struct io *io, enum io_by by);
void io_release(struct io *io);

struct io_opened {
	uint64_t fd, file;
	enum io_kind kind;
	bool failed;
	bool is_call; /* false: the file was only found out, not opened by this call */
};
void io_open(struct io *io, const struct io_place *place, const struct io_opened *opened);
void io_close(struct io *io, const struct io_place *place, uint64_t fd, bool failed);

enum io_transfer { IO_READ, IO_WRITE };
struct io_bytes {
	enum io_transfer direction;
	uint64_t fd, bytes;
	bool has_offset;
	uint64_t offset;
};
void io_transfer(struct io *io, const struct io_place *place, const struct io_bytes *bytes);
/* Counts as one call, of the file that is read. */
void io_move(struct io *io, const struct io_place *place, uint64_t from, uint64_t to,
	     uint64_t bytes);
void io_seek(struct io *io, const struct io_place *place, uint64_t fd, uint64_t offset);
/* Any other call with a descriptor. */
void io_call(struct io *io, const struct io_place *place, uint64_t fd, bool failed);
/* A wait for several descriptors. */
void io_wait(struct io *io, const struct io_place *place, bool failed);
void io_map(struct io *io, const struct io_place *place, uint64_t fd, uint64_t address,
	    uint64_t bytes);
/* munmap() or msync(); ignored if no file was mapped at the address. */
void io_unmap(struct io *io, const struct io_place *place, uint64_t address, bool unmaps);

/* Events of the process were lost. */
void io_forget(struct io *io, uint32_t process);

/* Returns the sums of all rows, without `sizes`. */
struct io_row io_total(const struct io *io);

#endif
