/* SPDX-License-Identifier: MIT */
/*
 * Checks a recording beyond what the reader verifies: the order of times and clocks, that
 * everything an event refers to is defined, and that it is defined once. It finds faults and does
 * not print them.
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
	struct reader_listener listener; /* is called with each fault */
	struct lookup names, processes, streams;
	struct lookup times; /* last time of each stream in this frame */
	struct store store;
	struct frame_info last; /* the frame before; sequence 0: there is none */
	uint64_t offset;        /* of the frame in the file */
	uint64_t sequence;
	uint64_t lost;           /* events reported lost by `lost` events */
	struct map torn_of;      /* process to stacks torn so far, as in python_sampling events */
	uint64_t torn;           /* sum over all processes */
	struct stacks stacks;    /* of all frames of the file */
	uint32_t *stack_of_node; /* of the frame that is being checked */
	size_t node_room;
	uint8_t *is_named; /* by stack: an event kind has named it */
	size_t named_room;
	uint64_t named;
};

void check_init(struct check *check, const struct reader_listener *listener);
void check_release(struct check *check);
/* EVT_NO_MEMORY is the only error. */
int check_frame(struct check *check, const struct reader_facts *facts,
		const struct reader_frame *frame);
/* Called after the last frame. */
void check_finish(struct check *check, const struct reader_facts *facts);

#endif
