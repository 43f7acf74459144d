/* SPDX-License-Identifier: MIT */
/*
 * One recording, frame by frame: header, schema, data frames, end marker and seek table, each
 * verified.
 *
 * Damaged parts are skipped: reading continues at the next intact frame, and a fault names the
 * place and what is missing. Whatever the bytes say, memory is bounded by one window, one frame and
 * its decoded events, and one entry of the seek table per frame. Time is bounded by the file's
 * length (see DAMAGE_TRIES). The reader uses no threads but those it is given, which only add a few
 * frames in memory. It prints nothing and does not know what events mean.
 */
#ifndef REPORT_FILE_READER_H
#define REPORT_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/block.h"
#include "collector/format/file.h"
#include "collector/format/segment.h"
#include "report/file/bytes.h"

#define READER_FAULT_BYTES 160u

/* Called for each fault, in the order of the file. `text` is one line and is not kept. */
struct reader_listener {
	void (*fault)(void *context, uint64_t offset, int error, const char *text);
	void *context;
	/*
	 * A symbol frame's payload (docs/FORMAT.md) with verified checksum; NULL: not wanted. Not
	 * kept.
	 */
	void (*symbols)(void *context, const uint8_t *bytes, size_t length);
};

/* What is known of the file so far. */
struct reader_facts {
	struct file_header header; /* zeros if it is damaged */
	bool header_known;
	bool complete; /* the end marker was found */
	bool live;     /* given to reader_open() */
	struct file_end end;
	uint64_t frames, records; /* read so far, or passed over: see reader_seek() */
	uint64_t position;        /* bytes read or skipped */
	uint64_t last_sequence, last_watermark_ns;
	/*
	 * Of a file whose first segments were given back, or that is read from a later one on:
	 * where reading began, and the data frames, records and losses before that. All 0: at its
	 * start.
	 */
	struct {
		bool gave_back; /* nobody can read them any more */
		uint64_t from_ns, frames, records, lost;
	} before;
};

struct reader_frame {
	uint64_t offset;
	size_t compressed, uncompressed;
	struct frame_info info;
	const struct event_block *block; /* all blocks of the frame, in the order of the file */
	size_t block_count;
	/*
	 * It holds no events of its own, but repeats what the first segment that is read needs of
	 * earlier ones, each event with the time that it had: not counted.
	 */
	bool is_state;
	/*
	 * Only with reader_seek(). It stands for a segment that is not read, and has all of its
	 * events of segment_digest_has(). `info` has the sequence number and watermark of the
	 * segment's last frame.
	 */
	bool is_digest;
	/*
	 * The segment before it was not read. With is_state: of that only scopes that are open are
	 * needed, as the digests had the rest. Without it: there should have been a state.
	 */
	bool rejoins;
};

struct reader;
struct workers; /* report/base/workers.h */

/*
 * `bytes` is borrowed and must outlive the reader. `live`: a writer is at work, so a missing end is
 * no fault. Errors: those of file_header_read(), EVT_NO_MEMORY or EVT_IO. If the header is damaged
 * but the schema is found shortly after it, the recording is opened with a fault.
 */
int reader_open(struct reader **ret_reader, const struct bytes *bytes, bool live,
		const struct reader_listener *listener);
void reader_close(struct reader *reader);

/*
 * Sets what is decoded of frames from the next one on; NULL: everything, as initially. Borrowed,
 * and must outlive the reader.
 */
void reader_want(struct reader *reader, const struct frame_wants *wants);

/*
 * Allows these threads to decode frames ahead from now on. Borrowed, and must outlive the reader.
 */
void reader_work_with(struct reader *reader, struct workers *workers);

enum reader_choice {
	READER_READS,
	READER_PASSES,
	READER_PASSES_IF_CLOSED, /* unless a scope that began in the chooser's time is open there */
};

struct reader_segment {
	uint64_t later; /* families that it or any later segment has */
	bool leads;     /* the step that is under way at the chooser's from_ns may begin in it */
};

/* Says which segments are not read; times are those of the file. */
struct reader_chooser {
	enum reader_choice (*choose)(void *context, const struct segment_head *head,
				     const struct reader_segment *segment);
	void *context;
	uint64_t from_ns, to_ns;
};
/*
 * Allows the reader to pass over segments, if the file has them and does not grow. Call before the
 * first reader_next(). Copied.
 */
void reader_seek(struct reader *reader, const struct reader_chooser *chooser);

/*
 * What readers of one thread need only while they decode a frame, shared so that many files do not
 * each have it. Set before the first reader_next() of each reader, and must outlive them. NULL if
 * there is no memory.
 */
struct reader_scratch;
struct reader_scratch *reader_scratch_new(void);
void reader_scratch_free(struct reader_scratch *scratch);
void reader_share(struct reader *reader, struct reader_scratch *scratch);

/*
 * `grows`: from now on, incomplete data at the end of the file is no fault. When reader_next() is
 * called again after EVT_END and bytes->size has grown, it continues there. Without `grows` nobody
 * writes any more, and missing data is a fault. What was read stays as it is.
 */
void reader_follow(struct reader *reader, bool grows);

/*
 * Returns the next data frame, valid until the next call. EVT_END at the end, EVT_NO_MEMORY,
 * EVT_IO.
 */
int reader_next(struct reader *reader, struct reader_frame *ret_frame);

/* Call after reader_next() returned a frame: true if the end marker follows it. */
bool reader_is_at_end(struct reader *reader);

const struct reader_facts *reader_facts(const struct reader *reader);

/* The events as the file describes them; NULL before the first frame. */
const struct schema *reader_schema(const struct reader *reader);

#endif
