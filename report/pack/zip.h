/* SPDX-License-Identifier: MIT */
/*
 * Writes a .zip: files stored or deflated, one after the other, in a file that can be written at any place.
 *
 * Format: PKWARE's APPNOTE.TXT 6.3, sections 4.3.7, 4.3.12 to 4.3.16 and 4.5.3. Numbers that do not fit into the 32 bits of the first format are
 * written as ZIP64, those of a file only where it is large: what reads no ZIP64 reads a small archive.
 * Own code, since zlib, which prof-report has anyhow, does what is hard: libzip of Debian brings GnuTLS, bzip2 and lzma with
 * what those need, which a wheel would have to carry. Times of files are left out: 1980-01-01.
 *
 * Memory: a line of the directory for each file. One thread.
 */
#ifndef REPORT_PACK_ZIP_H
#define REPORT_PACK_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip {
	int to;          /* the caller's, at its begin and empty */
	uint64_t offset; /* written so far */
	uint8_t *directory;
	size_t directory_bytes, directory_room;
	size_t count;
	uint64_t wide_from; /* what is so large is written as ZIP64: 2^32 - 1; a test lowers it */
};

void zip_init(struct zip *zip, int to);
/* The file at `path` under `name`, which has no folder above it. 0, or -1 and errno: EFBIG when it grew across 4 GiB while it was read. */
int zip_add(struct zip *zip, const char *name, const char *path, bool deflates);
/* Writes the directory. 0, or -1 and errno. */
int zip_finish(struct zip *zip);
void zip_release(struct zip *zip);

#endif
