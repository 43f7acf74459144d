/* SPDX-License-Identifier: MIT */
/*
 * The table of stacks (collector/format/stack_table.h) is bounded, but a run of several hours has
 * ever more stacks. When the table is half full, the programs are asked to define again what they
 * use. When all had time to hear of it, and everything that they wrote before is in the file,
 * stacks that were not defined again are forgotten.
 *
 * A thread that writes a record at that very moment may name a stack that it defined before the
 * question and that nobody has used since. That stack is lost, and counted as others are. One
 * thread.
 */
#ifndef COLLECTOR_TURN_RENEWAL_H
#define COLLECTOR_TURN_RENEWAL_H

#include <stdint.h>

#include "collector/format/block.h"
#include "collector/region/region.h"

struct renewal {
	/* steady time of the question; 0: not asked, or the renewal is finished */
	uint64_t asked_ns;
	uint64_t last_ns;  /* time of the last question */
	uint64_t pause_ns; /* pause after it */
	uint32_t cuts;     /* cuts of all rings since */
	uint32_t due;      /* number of definitions at which the next question is due */
};

/* A region of `bytes` also bounds the table. */
void renewal_init(struct renewal *renewal, struct frame_writer *fw, uint64_t bytes);

/* Call when all rings have been drained up to now and the frame of the file is closed. */
void renewal_turn(struct renewal *renewal, struct frame_writer *fw, struct region_header *header,
		  uint64_t steady_ns);

#endif
