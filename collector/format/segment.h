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

#include <stddef.h>
#include <stdint.h>

#include "collector/format/file.h"

#define FILE_MAGIC_SEGMENT 0x184D2A53u
#define FILE_MAGIC_GONE 0x184D2A54u
#define FILE_MAGIC_PAD 0x184D2A55u   /* its payload means nothing */
#define FILE_TAG_SEGMENT 0x4d474553u /* "SEGM" */
#define FILE_TAG_GONE 0x454e4f47u    /* "GONE" */

#define SEGMENT_PAGE 4096u /* segments that may be given back begin at a multiple of it */
#define SEGMENT_VERSION 1u

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

/* How many bytes of padding a head of `head_bytes` needs at `offset` to lie in one page. */
size_t segment_pad_bytes(uint64_t offset, size_t head_bytes, int to_page);

#endif
