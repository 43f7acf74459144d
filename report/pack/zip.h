/* SPDX-License-Identifier: MIT */
/*
 * Writes a .zip archive: files stored or deflated, one after the other, into a file that can be
 * written at any offset.
 *
 * Format: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3. Numbers that do not
 * fit into the 32 bits of the first format are written as ZIP64. For a file this is done only if it
 * is large, so a program without ZIP64 reads small archives. This is own code, because zlib, which
 * prof-report needs anyway, does the difficult part. Debian's libzip depends on GnuTLS, bzip2 and
 * lzma and their dependencies, which a wheel would have to contain. The times of files are left
 * out: 1980-01-01.
 *
 * Memory: a line of the directory for each file. To be used by one thread.
 */
#ifndef REPORT_PACK_ZIP_H
#define REPORT_PACK_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip {
	int to;          /* the caller's file, empty and at its begin */
	uint64_t offset; /* bytes written so far */
	uint8_t *directory;
	size_t directory_bytes, directory_room;
	size_t count;
	/* a number as large as this is written as ZIP64: 2^32 - 1; a test lowers it */
	uint64_t wide_from;
};

void zip_init(struct zip *zip, int to);
/*
 * Adds the file at `path` under `name`, a relative path without `..`. Returns 0, or -1 and errno;
 * EFBIG: it grew beyond 4 GiB while it was read.
 */
int zip_add(struct zip *zip, const char *name, const char *path, bool deflates);
/* Writes the directory. Returns 0, or -1 and errno. */
int zip_finish(struct zip *zip);
void zip_release(struct zip *zip);

#endif
