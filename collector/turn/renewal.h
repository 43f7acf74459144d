/* SPDX-License-Identifier: MIT */
/*
 * The table of stacks (collector/format/stack_table.h) is bounded, and a run of hours has no end of stacks. When it is half
 * full, the programs are asked to define anew what they use; when they have had the time to hear of it and
 * what they had written before is in the file, what they did not define again is forgotten.
 *
 * Who writes a record at the very moment may name a stack that it defined before the question, and that nobody has used since:
 * that stack is lost, and counted as others are. One thread.
 */
#ifndef COLLECTOR_TURN_RENEWAL_H
#define COLLECTOR_TURN_RENEWAL_H

#include <stdint.h>

#include "collector/format/block.h"
#include "collector/region/region.h"

struct renewal {
	uint64_t
		asked_ns; /* steady; 0: the programs have not been asked, or what came of it is done */
	uint64_t last_ns;  /* asked last */
	uint64_t pause_ns; /* to wait after that */
	uint32_t cuts;     /* of all rings since */
	uint32_t due;      /* definitions at which they are asked next */
};

/* A region of `bytes` bounds the table, too. */
void renewal_init(struct renewal *renewal, struct frame_writer *fw, uint64_t bytes);

/* All rings have been drained up to now, and the frame of the file is closed. */
void renewal_turn(struct renewal *renewal, struct frame_writer *fw, struct region_header *header,
		  uint64_t steady_ns);

#endif
