/* SPDX-License-Identifier: MIT */
/*
 * The file being written: header, schema, frames, end marker, seek table. If something cannot be
 * written completely, it is removed again, so that the file is a valid zstd stream at every moment.
 *
 * One thread. Errors: enum evt_error. After EVT_IO or EVT_TOO_LARGE the caller may try the next
 * frame: a disk may have room again, but a file at its limit stays there.
 */
#ifndef COLLECTOR_OUTPUT_OUTPUT_H
#define COLLECTOR_OUTPUT_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/output/compress.h"
#include "collector/format/block.h"
#include "collector/format/file.h"

struct output {
	int fd;
	bool full;          /* max_bytes was reached */
	bool torn;          /* half a frame could not be removed: nothing more is written */
	uint64_t bytes;     /* bytes of complete frames in the file */
	uint64_t max_bytes; /* 0: no limit */
	uint64_t frames;
	uint64_t records;
	struct seek_entry *seek;
	size_t seek_count;
	size_t seek_room;
	struct compressor compressor;
	char path[PATH_MAX];
	struct file_header header;
	int guard_fd; /* -1, or a descriptor that keeps the session's first file in its place */
};

/* Takes over `fd`, an empty file, and writes header and schema. On failure `fd` is closed. */
int output_init(struct output *output, int fd, uint64_t max_bytes,
		const struct file_header *header);

/* Writes the header again, with changed flags or a changed hash of its name. */
void output_write_header(struct output *output, const struct file_header *header);

/* `last`: the frame that ends the file, for which room was reserved below max_bytes. */
int output_write_frame(struct output *output, const struct frame_image *image, uint64_t records,
		       bool last);

/* Writes end marker and seek table. */
int output_finish(struct output *output, struct file_end end);

void output_release(struct output *output);

#endif
