/* SPDX-License-Identifier: MIT */
/*
 * Segments: parts of a file that can be read without what precedes them. A segment begins with a
 * head, a skippable zstd frame, and a zstd frame whose content begins with FRAME_TAG_STATE: names,
 * processes, threads, modules and open scopes, as events. Its head is completed in place when it
 * ends. A segment that was given back is one skippable frame, FILE_MAGIC_GONE. docs/FORMAT.md
 * describes the bytes. Bytes only; no I/O, no compression.
 *
 * Both heads are written with one write and must not extend beyond a page of the file: then a
 * writer that is killed leaves either the old bytes or the new ones.
 */
#ifndef COLLECTOR_FORMAT_SEGMENT_H
#define COLLECTOR_FORMAT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/events.h"
#include "collector/format/file.h"

#define FILE_MAGIC_SEGMENT 0x184D2A53u
#define FILE_MAGIC_GONE 0x184D2A54u
#define FILE_MAGIC_PAD 0x184D2A55u /* its payload means nothing */
#define FILE_MAGIC_DIGEST 0x184D2A56u
#define FILE_MAGIC_INDEX 0x184D2A57u
#define FILE_TAG_SEGMENT 0x4d474553u /* "SEGM" */
#define FILE_TAG_GONE 0x454e4f47u    /* "GONE" */
#define FILE_TAG_DIGEST 0x54534744u  /* "DGST" */
#define FILE_TAG_INDEX 0x58444e49u   /* "INDX" */

#define SEGMENT_PAGE 4096u /* segments that may be given back begin at a multiple of it */
#define SEGMENT_VERSION 1u
/*
 * 2: with what descriptors are, beside states with the last operator and the last sample of each
 * thread. 3: with mappings, closed files, what allocators of tensors hold, and where the runtime
 * ends. Segments of older files are read as a whole.
 */
#define SEGMENT_DIGEST_VERSION 3u

struct segment_head {
	/* written when it begins */
	uint64_t number;   /* from 1 in the file */
	uint64_t sequence; /* of the last data frame before it */
	uint64_t begin_ns; /* watermark of that frame: all records before it are up to this time */
	uint64_t frames, records; /* before it, in the whole file */
	uint64_t lost_before;     /* records lost before it */
	/* written when it ends; 0 before */
	uint64_t bytes;  /* from its head to what follows it */
	uint64_t end_ns; /* watermark of its last frame */
	uint64_t own_frames, own_records;
	uint64_t lost;                  /* records lost in its time */
	uint64_t families;              /* bits of enum evt_family that have records in it */
	uint64_t first_step, last_step; /* number plus one of steps that begin in it; 0: none */
};
#define SEGMENT_HEAD_BYTES (FILE_SKIPPABLE_HEAD + 8 + sizeof(struct segment_head) + 8)

/* What was given back at one place. */
struct segment_gone {
	uint64_t segments, frames, records, lost;
	uint64_t from_ns, to_ns; /* what follows begins at to_ns */
};
#define SEGMENT_GONE_BYTES (FILE_SKIPPABLE_HEAD + 8 + sizeof(struct segment_gone) + 8)
#define SEGMENT_GONE_MAX 0xffffffffull /* longest payload */

/* Each returns its constant above. */
size_t segment_head_write(uint8_t *bytes, const struct segment_head *head);
/* `length`: of the whole skippable frame, at most SEGMENT_GONE_MAX. */
size_t segment_gone_write(uint8_t *bytes, const struct segment_gone *gone, uint64_t length);
/* A skippable frame of `length` bytes, at least FILE_SKIPPABLE_HEAD; only its head is written. */
size_t segment_pad_write(uint8_t *bytes, size_t length);

/* `bytes` begin at the skippable frame. Errors: enum evt_error; EVT_FOREIGN: it is another one. */
int segment_head_read(const uint8_t *bytes, size_t length, struct segment_head *ret_head);
int segment_gone_read(const uint8_t *bytes, size_t length, struct segment_gone *ret_gone);

/*
 * The digest of a segment stands behind the head of the next one, or before the index: a skippable
 * frame with the number of the segment and a zstd frame. That has the form of a data frame, and all
 * events of the segment for which this is true. It stands for the segment where that is not read.
 */
static inline bool segment_digest_has(uint32_t id)
{
	const struct evt_descriptor *event = &evt_descriptors[id];

	return event->name && event->family != EVT_FAMILY_clock &&
	       (event->family == EVT_FAMILY_system || event->family == EVT_FAMILY_steps ||
		event->family == EVT_FAMILY_capture || evt_role_of(id)->holds ||
		id == EVT_io_open || id == EVT_io_fd || id == EVT_io_close || id == EVT_io_map ||
		id == EVT_io_unmap || id == EVT_osrt_fd || id == EVT_map_anonymous ||
		id == EVT_unmap || id == EVT_remap || id == EVT_teardown_begin ||
		id == EVT_tensor_totals || id == EVT_tensor_oom);
}

#define SEGMENT_DIGEST_HEAD (FILE_SKIPPABLE_HEAD + 16u) /* what precedes the zstd frame */
/* Writes what precedes a zstd frame of `length` bytes. Returns SEGMENT_DIGEST_HEAD. */
size_t segment_digest_write(uint8_t *bytes, uint64_t number, size_t length);
/* Returns the number of the segment and the length of the zstd frame. */
int segment_digest_read(const uint8_t *bytes, size_t length, uint64_t *ret_number,
			size_t *ret_frame);

/*
 * The index repeats all heads right before the end marker, so that a reader finds it from the end
 * of the file. `back`: from the begin of the index back to the begin of the segment, so that an
 * index stays right in a copy with more frames at the start.
 */
struct segment_entry {
	uint64_t back;
	struct segment_head head; /* complete */
};
#define SEGMENT_INDEX_MAX (1u << 20) /* entries */
/* Number of entries and checksum, with which an index ends. */
#define SEGMENT_INDEX_FOOT 16u

size_t segment_index_length(size_t count);
size_t segment_index_write(uint8_t *bytes, const struct segment_entry *entry, size_t count);
/* `bytes`: the last SEGMENT_INDEX_FOOT bytes of an index. Returns its whole length, or 0. */
size_t segment_index_find(const uint8_t *bytes);
/* `bytes`: a whole index of `count` entries, which are filled in. */
int segment_index_read(const uint8_t *bytes, size_t length, struct segment_entry *ret_entry,
		       size_t count);

/* How many bytes of padding a head of `head_bytes` needs at `offset` to lie in one page. */
size_t segment_pad_bytes(uint64_t offset, size_t head_bytes, int to_page);

#endif
