/* SPDX-License-Identifier: MIT */
/*
 * What must hold in a recording beyond what the reader verifies: order of times and clocks, that
 * everything an event refers to is defined, each thing once. Finds, does not print.
 *
 * Memory grows with names, processes and streams.
 */
#ifndef REPORT_RAW_CHECK_H
#define REPORT_RAW_CHECK_H

#include "report/file/reader.h"
#include "report/base/map.h"
#include "report/base/store.h"
#include "report/session/stacks.h"

struct check {
	struct reader_listener listener; /* told what is found */
	struct lookup names, processes, streams;
	struct lookup times; /* of the streams in this frame: last time */
	struct store store;
	struct frame_info last; /* of the frame before; sequence 0: none */
	uint64_t offset;        /* of the frame */
	uint64_t sequence;
	uint64_t lost;           /* by `lost` events */
	struct map torn_of;      /* process to stacks torn so far, as python_sampling counts them */
	uint64_t torn;           /* of all processes */
	struct stacks stacks;    /* of all frames of the file */
	uint32_t *stack_of_node; /* of the present one */
	size_t node_room;
	uint8_t *is_named; /* by stack: some kind has it */
	size_t named_room;
	uint64_t named;
};

void check_init(struct check *check, const struct reader_listener *listener);
void check_release(struct check *check);
/* EVT_NO_MEMORY is the only failure. */
int check_frame(struct check *check, const struct reader_facts *facts,
		const struct reader_frame *frame);
/* After the last frame. */
void check_finish(struct check *check, const struct reader_facts *facts);

#endif
