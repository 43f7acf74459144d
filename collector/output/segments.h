/* SPDX-License-Identifier: MIT */
/*
 * The segments of the file that are on disk, and which of them are given back while it is written
 * (INTERCEPT_KEEP_LAST): a segment that is given back becomes one skippable zstd frame, and the
 * file system takes its blocks back. At every moment the file is a valid zstd stream. Segments that
 * follow each other become one such frame, as far as its length allows. One thread.
 */
#ifndef COLLECTOR_OUTPUT_SEGMENTS_H
#define COLLECTOR_OUTPUT_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/segment.h"

/* At most one of them is not 0; all 0: everything is kept. */
struct keep_last {
	uint64_t ns, bytes, steps;
};

struct segment {
	uint64_t offset; /* of its head; of one without a head, of its first frame */
	bool has_head;   /* the first one has none if everything is kept */
	size_t frames;   /* zstd frames before it in the seek table */
	uint64_t steps;  /* steps that had begun before it */
	struct segment_head head;
};

struct segments {
	struct segment *segment; /* those on disk; the last one is open */
	size_t count, room;
	bool gives_back;
	uint64_t given_bytes;     /* bytes of the file that are given back */
	struct segment_gone gone; /* at `gone_offset`: given back last */
	uint64_t gone_offset, gone_bytes;
};

void segments_release(struct segments *segments);

/* Returns whether the file system of the file takes back parts of it. */
bool segments_can_give_back(int fd);

/*
 * Adds a segment that begins at `offset`; the head of the one before is complete now, and has been
 * written. Returns false without memory.
 */
bool segments_add(struct segments *segments, const struct segment *segment);

static inline struct segment *segments_open(struct segments *segments)
{
	return segments->count ? &segments->segment[segments->count - 1] : NULL;
}

/*
 * Completes the head of the open segment, which ends at `end_offset`, and writes it. If that fails,
 * a reader finds the end by the frames.
 */
void segments_close(struct segments *segments, int fd, uint64_t end_offset,
		    const struct segment_head *end);

/* Length of the index of all that are on disk; 0: it needs none. */
size_t segments_index_length(const struct segments *segments);
/* Writes that index, which will stand at `offset`. All heads must be complete. */
bool segments_write_index(const struct segments *segments, uint64_t offset, uint8_t *bytes);

/*
 * Gives the oldest segment back. Returns how many entries of the seek table belonged to it; 0: it
 * cannot be given back.
 */
size_t segments_give_back(struct segments *segments, int fd);

#endif
