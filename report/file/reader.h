/* SPDX-License-Identifier: MIT */
/*
 * One recording, frame by frame: header, schema, data frames, end marker and seek table, each verified.
 *
 * What is damaged is passed over: reading goes on at the next frame that verifies, and a fault names
 * the place and what is missing. Whatever the bytes say, memory stays within one window, one frame
 * and its decoded events, and one entry of the seek table a frame; time is bounded by the file's
 * length (see DAMAGE_TRIES). No threads but those it is given, which change nothing of the above but a few
 * frames more in memory; no output. Does not know what events mean.
 */
#ifndef REPORT_FILE_READER_H
#define REPORT_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/file.h"
#include "report/file/bytes.h"

#define READER_FAULT_BYTES 160u

/* Called for each fault, in the order of the file; `text` is one line and not kept. */
struct reader_listener {
	void (*fault)(void *context, uint64_t offset, int error, const char *text);
	void *context;
	/* A symbol frame's payload (docs/FORMAT.md), its checksum verified; NULL: not wanted. Not kept. */
	void (*symbols)(void *context, const uint8_t *bytes, size_t length);
};

/* What is known of the file so far. */
struct reader_facts {
	struct file_header header; /* zeros when it is damaged */
	bool header_known;
	bool complete; /* the end marker was seen */
	bool live;     /* given to reader_open() */
	struct file_end end;
	uint64_t frames, records; /* read */
	uint64_t position;        /* bytes passed */
	uint64_t last_sequence, last_watermark_ns;
};

struct reader_frame {
	uint64_t offset;
	size_t compressed, uncompressed;
	struct frame_info info;
	const struct event_block *block; /* all of the frame, in the order of the file */
	size_t block_count;
};

struct reader;
struct workers; /* report/base/workers.h */

/*
 * `bytes` is borrowed and must outlive the reader. `live`: a writer is at work, so that a missing end
 * is no fault. Fails with what file_header_read() says, EVT_NO_MEMORY or EVT_IO; a recording whose
 * header is damaged but whose schema is found close behind it is opened with a fault.
 */
int reader_open(struct reader **ret_reader, const struct bytes *bytes, bool live,
		const struct reader_listener *listener);
void reader_close(struct reader *reader);

/* What is decoded of frames from the next one on; NULL: everything, as at first. Borrowed, and must
 * outlive the reader. */
void reader_want(struct reader *reader, const struct frame_wants *wants);

/* Frames may be decoded ahead by these from now on. Borrowed, and must outlive the reader. */
void reader_work_with(struct reader *reader, struct workers *workers);

/*
 * What readers of one thread need only while they decode a frame, so that many files do not have it each. Shared from
 * before the first reader_next() of each, and must outlive them. NULL when there is no memory.
 */
struct reader_scratch;
struct reader_scratch *reader_scratch_new(void);
void reader_scratch_free(struct reader_scratch *scratch);
void reader_share(struct reader *reader, struct reader_scratch *scratch);

/*
 * The file grows: from now on what is not whole at its end is no fault, and reader_next() goes on there when it is called
 * again after EVT_END, once bytes->size says that there is more. Without `grows` nobody writes any more, and what is missing
 * is a fault. Whatever was read stays as it is.
 */
void reader_follow(struct reader *reader, bool grows);

/* The next data frame, valid until the next call. EVT_END at the end, EVT_NO_MEMORY, EVT_IO. */
int reader_next(struct reader *reader, struct reader_frame *ret_frame);

/* After reader_next() gave a frame: the end marker follows it. */
bool reader_is_at_end(struct reader *reader);

const struct reader_facts *reader_facts(const struct reader *reader);

/* The events as the file describes them; NULL before the first frame. */
const struct schema *reader_schema(const struct reader *reader);

#endif
