/* SPDX-License-Identifier: MIT */
/*
 * The source of a recording's bytes: a regular file, or memory (tests and fuzzing).
 *
 * A file is read by pread() and never mapped: it may shrink or be rewritten while it is read, and
 * with a mapping that would be a SIGBUS. If there are many files, only some keep a descriptor. The
 * others are opened for each read, and must still be the same file. Not thread-safe.
 */
#ifndef REPORT_FILE_BYTES_H
#define REPORT_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	int fd;                /* -1: memory */
	const uint8_t *memory; /* borrowed */
	uint64_t size;         /* when it was opened; the file may have grown since */
	const char *path;      /* borrowed; for a file without a descriptor */
	uint64_t device, inode;
	uint64_t disk; /* bytes that it occupies; 0: unknown */
};

/*
 * Returns 0, or EVT_IO with errno; EISDIR, ENOTSUP if it is no regular file. Closed by
 * bytes_close().
 */
int bytes_open(struct bytes *ret_bytes, const char *path);
struct bytes bytes_of(const void *memory, size_t length);
void bytes_close(struct bytes *bytes);
/* Closes the descriptor. Each read opens `path` again; ESTALE if it is another file by now. */
void bytes_rest(struct bytes *bytes, const char *path);

/* Reads up to `length` bytes at `offset`; fewer only at the end. Negative: EVT_IO with errno. */
int64_t bytes_read(const struct bytes *bytes, uint64_t offset, void *ret_bytes, size_t length);

#endif
