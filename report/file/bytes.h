/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of a recording come from: a regular file, or memory (tests and fuzzing).
 *
 * A file is read by pread() and never mapped: it may shrink or be rewritten while it is read, and a
 * mapping would turn that into SIGBUS. Of many files only some keep a descriptor: the others are opened
 * for each read, and must still be the file that they were. Not thread-safe.
 */
#ifndef REPORT_FILE_BYTES_H
#define REPORT_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	int fd;                /* -1: memory */
	const uint8_t *memory; /* borrowed */
	uint64_t size;         /* when it was opened; a file may have another by now */
	const char *path;      /* borrowed; of one at rest */
	uint64_t device, inode;
};

/* 0, or EVT_IO with errno; EISDIR, ENOTSUP for what is no regular file. Closed by bytes_close(). */
int bytes_open(struct bytes *ret_bytes, const char *path);
struct bytes bytes_of(const void *memory, size_t length);
void bytes_close(struct bytes *bytes);
/* Gives the descriptor back. Reading opens `path` each time; ESTALE when that is another file by now. */
void bytes_rest(struct bytes *bytes, const char *path);

/* Reads up to `length` bytes at `offset`; fewer only at the end. Negative: EVT_IO with errno. */
int64_t bytes_read(const struct bytes *bytes, uint64_t offset, void *ret_bytes, size_t length);

#endif
