/* SPDX-License-Identifier: MIT */
/*
 * Which segments of a file are passed over: their digests stand for them. The list of segments is
 * read from the index at the end of the file, or, if the file has none, from head to head. If
 * neither can be used, or the digest of a segment, the file is read as a whole, with the same
 * results. Private to the reader.
 */
#ifndef REPORT_FILE_SEEK_H
#define REPORT_FILE_SEEK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/segment.h"
#include "report/file/reader.h"

struct seek_part {
	uint64_t offset, end; /* bytes of the file */
	struct segment_head head;
	struct reader_segment about;
};

struct seek {
	struct seek_part *part; /* in the order of the file; NULL: nothing is passed over */
	size_t count, room;
	size_t next;                   /* the first one that reading has not come to */
	struct reader_chooser chooser; /* choose is NULL: everything is read */
	bool is_started;
	bool is_closed; /* where a segment began, no scope that matters was open any more */
	bool has_passed;
	bool rejoins; /* what is read next needs the state of its segment */
	/* for its state: what digests have is not handed out again */
	struct frame_wants wants;
};

void seek_release(struct seek *seek);

/*
 * Call where a part of the file begins. If a segment begins there that is to be passed over, fills
 * in the frame of its digest, moves behind the segment and returns EVT_OK. EVT_END: the segment is
 * to be read.
 */
int seek_pass(struct reader *reader, struct reader_frame *frame);

#endif
