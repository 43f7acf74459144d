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
#include "collector/output/segments.h"
#include "collector/format/block.h"
#include "collector/format/file.h"

struct output {
	int fd;
	bool full;          /* max_bytes was reached */
	bool torn;          /* half a frame could not be removed: nothing more is written */
	uint64_t begin;     /* bytes of header and schema */
	uint64_t bytes;     /* bytes of complete frames in the file */
	uint64_t max_bytes; /* 0: no limit */
	uint64_t frames;
	uint64_t records;
	struct seek_entry *seek;
	size_t seek_count;
	size_t seek_room;
	struct compressor compressor;
	struct segments segments;
	struct keep_last keep; /* all 0: everything is kept */
	uint64_t disk_max;     /* limit for output_disk_bytes(); 0: none */
	bool keeps_all;        /* `keep` was asked for, but the file system cannot give back */
	char path[PATH_MAX];
	struct file_header header;
	int guard_fd; /* -1, or a descriptor that keeps the session's first file in its place */
};

/* Takes over `fd`, an empty file, and writes header and schema. On failure `fd` is closed. */
int output_init(struct output *output, int fd, uint64_t max_bytes,
		const struct file_header *header);

/*
 * Right after output_init(): older segments will be given back. Limits in bytes are then those of
 * what is on disk. If the file system cannot give back, a limit in bytes becomes one of the file.
 */
int output_keep_last(struct output *output, const struct keep_last *keep);

/* The digest of the open segment, as bytes of the file; empty: it has none. The caller frees it. */
struct output_digest {
	uint8_t *bytes;
	size_t length;
};
/* `image`: the events of the digest. Empty without memory. */
struct output_digest output_make_digest(struct output *output, const struct frame_image *image);

/*
 * Ends the open segment, as `end` says, and begins the next one with the digest of the open one and
 * a frame that holds the state at its beginning; `steps` have begun before it. On failure the open
 * one continues.
 */
int output_begin_segment(struct output *output, const struct segment_head *end,
			 const struct segment_head *next, uint64_t steps,
			 const struct output_digest *digest, const struct frame_image *state);
/*
 * True if the end of the file will have an index of its segments: there are several, and nothing
 * was lost for want of room.
 */
static inline bool output_has_index(const struct output *output)
{
	return output->segments.count > 1 && !output->full && !output->torn;
}
/* Number of the open segment. */
static inline uint64_t output_segment_number(const struct output *output)
{
	const struct segment *open = segments_open((struct segments *)&output->segments);

	return open ? open->head.number : 1;
}

/* Gives the oldest segment back. False: it cannot be given back. */
bool output_give_back(struct output *output);

/* Bytes that the file occupies, as far as it is known. */
static inline uint64_t output_disk_bytes(const struct output *output)
{
	return output->bytes - output->segments.given_bytes;
}

/* Writes the header again, with changed flags or a changed hash of its name. */
void output_write_header(struct output *output, const struct file_header *header);

/* `last`: the frame that ends the file, for which room was reserved below max_bytes. */
int output_write_frame(struct output *output, const struct frame_image *image, uint64_t records,
		       bool last);

/*
 * Completes the open segment's head as `last` says, and writes its digest, the index, end marker
 * and seek table.
 */
int output_finish(struct output *output, struct file_end end, const struct segment_head *last,
		  const struct output_digest *digest);

void output_release(struct output *output);

#endif
