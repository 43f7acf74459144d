/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the reader share: reader.c (the way through the file), damage.c (how to
 * continue after damage), ending.c (end marker and seek table), frame_events.c (a frame's blocks).
 * Private to them.
 */
#ifndef REPORT_FILE_READER_STATE_H
#define REPORT_FILE_READER_STATE_H

#include "report/file/ahead.h"
#include "report/file/decompress.h"
#include "report/file/frame_decoder.h"
#include "report/file/reader.h"
#include "report/file/seek.h"
#include "report/file/window.h"

/*
 * A part of the file that could not be read. It is reported when it is known where reading
 * continues.
 */
struct damage {
	bool open;
	uint64_t offset;
	int error;
};

struct reader_scratch {
	struct decompressor decompressor;
	struct frame_scratch *frame;
};

struct reader {
	struct reader_listener listener;
	struct reader_facts facts;
	struct window window;
	struct decompressor decompressor;
	struct damage damage;
	uint64_t damage_tries; /* candidates examined after damage, in the whole file */

	bool schema_loaded;
	struct schema schema;
	struct frame_decoder decoder;
	const struct frame_wants *wants; /* borrowed */
	struct workers *workers;         /* borrowed; NULL: no frame is decoded ahead */
	struct reader_scratch *scratch;  /* borrowed; NULL: it is not shared */
	struct ahead *ahead;             /* NULL before the second frame */

	struct seek_entry *seek; /* one per zstd frame that was read */
	size_t seek_count, seek_room;
	bool seek_checked;
	bool damaged; /* some bytes were skipped, so the seek table cannot match */
	bool follows; /* the file grows: see reader_follow() */
	bool enters;  /* a segment begins here, and nothing before it was read */
	bool done;
	struct seek seeking;
};

__attribute__((format(printf, 4, 5))) void reader_fault(struct reader *reader, uint64_t offset,
							int error, const char *format, ...);

/*
 * The zstd frame at `offset`: its bytes in the window. EVT_TRUNCATED if the file ends before its
 * end.
 */
struct frame_place {
	const uint8_t *bytes;
	size_t length;
};
int reader_find_frame(struct reader *reader, uint64_t offset, struct frame_place *ret_place);

/* Reports frames that are missing before the one with this sequence number. */
void reader_tell_gap(struct reader *reader, uint64_t sequence);
/* True if the position is behind the schema and its symbols. */
bool reader_is_at_segment(struct reader *reader);

/* --- damage.c --- */

/* Notes damage at the present position and moves to the next intact frame, or to the end. */
int damage_pass(struct reader *reader, int error);
/* Reports the pending damage, if any: reading continues at a frame with this sequence number. */
void damage_tell(struct reader *reader, uint64_t next_sequence);
/* The same if nothing readable follows. */
void damage_tell_end(struct reader *reader);

/* --- ending.c --- */

/* Takes a skippable frame at the present position and moves behind it. An error means damage. */
int ending_take(struct reader *reader, uint32_t magic);
/* True if the bytes at `offset` are certainly an end marker or a seek table. */
bool ending_verifies(struct reader *reader, uint64_t offset, uint32_t magic);
/* The file has no more bytes: reports what is missing. */
void ending_check(struct reader *reader);
int ending_note_frame(struct reader *reader, size_t compressed, size_t uncompressed);

/* --- segments.c --- */

/* Notes what was given back, if anything. The position stays. */
int segments_find_first(struct reader *reader);
/* Takes a skippable frame of segments at the present position. */
void segments_take(struct reader *reader, uint32_t magic);

/* --- frame_events.c --- */

int schema_load(struct reader *reader, const uint8_t *bytes, size_t length);
/* Uses the schema of this program, for a file that lost its own. */
int schema_load_own(struct reader *reader);
/* Decodes all blocks. A bad block is a fault and ends the frame. */
int frame_decode(struct reader *reader, const uint8_t *bytes, size_t length,
		 struct reader_frame *frame);

#endif
