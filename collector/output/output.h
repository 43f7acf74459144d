/* SPDX-License-Identifier: MIT */
/*
 * The file being written: header, schema, frames, end marker, seek table. What cannot be written
 * completely is taken back, so that the file is a valid zstd stream at every moment.
 *
 * One thread. Errors: enum evt_error. After EVT_IO or EVT_TOO_LARGE the caller may try the next
 * frame: a disk may have room again, a file at its limit stays there.
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
	bool torn;          /* half a frame could not be taken back: nothing more is written */
	uint64_t bytes;     /* in the file, all complete */
	uint64_t max_bytes; /* 0: no limit */
	uint64_t frames;
	uint64_t records;
	struct seek_entry *seek;
	size_t seek_count;
	size_t seek_room;
	struct compressor compressor;
	char path[PATH_MAX];
	struct file_header header;
	int guard_fd; /* -1, or what keeps the session's first file where it is */
};

/* Takes over `fd`, which is empty, and writes header and schema. On failure `fd` is closed. */
int output_init(struct output *output, int fd, uint64_t max_bytes,
		const struct file_header *header);

/* Writes the header again, which may differ in its flags and its name's hash. */
void output_write_header(struct output *output, const struct file_header *header);

/* `last`: the frame that ends the file, for which room was kept below max_bytes. */
int output_write_frame(struct output *output, const struct frame_image *image, uint64_t records,
		       bool last);

/* End marker and seek table. */
int output_finish(struct output *output, struct file_end end);

void output_release(struct output *output);

#endif
